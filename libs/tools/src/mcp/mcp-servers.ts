import { TransformStream } from 'node:stream/web';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { addressRefusal, type Outbound } from '#libs/outbound';
import type { McpServerSettings } from '#libs/platform';
import { McpConnection } from './mcp-connection.js';
import { OperatorProcess } from './operator-process.js';

/** Where a server is: a name of the operator's, or an address with the headers to send there. */
export type McpTarget =
  { kind: 'process'; server: McpServerSettings } | { kind: 'http'; url: URL; headers: ReadonlyMap<string, string> };

const IDLE_MS = 120_000;
/** Unpacked bytes of one answer: a result has at most a mebibyte, a list of tools a few. */
const MAX_ANSWER_BYTES = 8_388_608;

type Kept = { connection: Promise<McpConnection>; idle: NodeJS.Timeout };

/** Connections are kept while they are used and for two minutes after; one that broke is opened again by whoever needs it. */
export class McpServers {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly outbound: Outbound,
    private readonly now: () => Date,
  ) {}

  /** @throws Error with a sentence that says what is wrong with the server */
  async connect(target: McpTarget): Promise<McpConnection> {
    const key = keyOf(target);
    const known = this.kept.get(key);
    if (known !== undefined) {
      known.idle.refresh();
      const connection = await known.connection;
      if (!connection.isClosed) return connection;
      this.forget(key, known);
    }
    const connection = this.open(target);
    const opened: Kept = { connection, idle: setTimeout(() => void this.end(key, opened), IDLE_MS).unref() };
    this.kept.set(key, opened);
    connection.catch(() => this.forget(key, opened));
    return connection;
  }

  async close(): Promise<void> {
    await Promise.all([...this.kept].map(([key, kept]) => this.end(key, kept)));
  }

  private forget(key: string, kept: Kept): void {
    clearTimeout(kept.idle);
    if (this.kept.get(key) === kept) this.kept.delete(key);
  }

  private async end(key: string, kept: Kept): Promise<void> {
    this.forget(key, kept);
    const connection = await kept.connection.catch(() => null);
    await connection?.close();
  }

  private async open(target: McpTarget): Promise<McpConnection> {
    if (target.kind === 'http') return this.openHttp(target);
    const process = new OperatorProcess(target.server);
    try {
      return await McpConnection.open(process, this.now);
    } catch (error) {
      const words = process.lastWords === '' ? '' : `; it said: ${process.lastWords}`;
      throw new Error(`the MCP server ${target.server.name} did not start: ${messageOf(error)}${words}`, {
        cause: error,
      });
    }
  }

  private async openHttp({ url, headers }: Extract<McpTarget, { kind: 'http' }>): Promise<McpConnection> {
    const transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: Object.fromEntries(headers) },
      // A stream of events that broke leaves its caller waiting until its time is up: the connection is given up instead.
      fetch: (to, init) => this.fetch(new URL(to), init ?? {}, () => void transport.close()),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1000,
        maxReconnectionDelay: 1000,
        reconnectionDelayGrowFactor: 1,
      },
    });
    try {
      return await McpConnection.open(transport, this.now);
    } catch (error) {
      const refusal = addressRefusal(error);
      throw new Error(`the MCP server at ${url.host} cannot be used: ${refusal?.message ?? messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** Through the guard; redirects are not followed. The answer becomes one of the class that the SDK knows, bounded. */
  private async fetch(url: URL, init: RequestInit, giveUp: () => void): Promise<Response> {
    const { status, headers, body } = await this.outbound.fetch(url, {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === 'string' ? init.body : null,
      signal: init.signal ?? null,
    });
    const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
    const bounded = body?.pipeThrough(boundedAnswer(isStream ? giveUp : () => undefined)) ?? null;
    return new Response(BODILESS.has(status) ? null : bounded, { status, headers: Object.fromEntries(headers) });
  }
}

function boundedAnswer(whenOver: () => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= MAX_ANSWER_BYTES) return controller.enqueue(chunk);
      controller.error(new Error(`its answer has more than ${MAX_ANSWER_BYTES} bytes`));
      return whenOver();
    },
  });
}

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function keyOf(target: McpTarget): string {
  if (target.kind === 'process') return `process ${target.server.name}`;
  return `http ${JSON.stringify([target.url.href, [...target.headers]])}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
