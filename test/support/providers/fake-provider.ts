import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { FakeAnswer, FakeReply } from './fake-reply.js';

export type RecordedRequest = {
  path: string;
  headers: IncomingMessage['headers'];
  /** The body as it came, and parsed. */
  text: string;
  json: { [key: string]: unknown };
  /** Resolves when the client's socket closed before the answer ended; with the time (ms since epoch). */
  closedByClient: Promise<number>;
};

/** How one provider writes an answer: as one JSON document, or as server-sent events, each a whole frame. */
export type WireFormat = {
  path: string;
  document(answer: FakeAnswer, request: RecordedRequest): unknown;
  frames(answer: FakeAnswer, request: RecordedRequest): string[];
  errorFrame(error: { type: string; message: string; code?: string }): string;
};

type Scripted = FakeReply | ((request: RecordedRequest) => FakeReply | Promise<FakeReply>);

/** A local server that speaks a provider's wire format, written from its public description. Replies come from a queue; without one it answers "ok". */
export class FakeProvider {
  readonly requests: RecordedRequest[] = [];
  private readonly queue: Scripted[] = [];
  private readonly arrivals: ((request: RecordedRequest) => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly format: WireFormat,
  ) {}

  static async start(format: WireFormat): Promise<FakeProvider> {
    const server = createServer();
    const provider = new FakeProvider(server, format);
    server.on('request', (request, response) => {
      provider
        .serve(request, response)
        .catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Appends to the queue. */
  reply(...replies: Scripted[]): void {
    this.queue.push(...replies);
  }

  /** The next request that arrives. */
  nextRequest(): Promise<RecordedRequest> {
    return new Promise((resolve) => this.arrivals.push(resolve));
  }

  lastRequest(): RecordedRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error('no request came');
    return last;
  }

  reset(): void {
    this.requests.length = 0;
    this.queue.length = 0;
    this.arrivals.length = 0;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(incoming);
    const closedByClient = new Promise<number>((resolve) => {
      response.on('close', () => response.writableFinished || resolve(Date.now()));
    });
    const request: RecordedRequest = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      text,
      json: parsed(text),
      closedByClient,
    };
    this.requests.push(request);
    this.arrivals.shift()?.(request);
    const next = this.queue.shift() ?? { kind: 'answer', text: 'ok' };
    const reply = typeof next === 'function' ? await next(request) : next;
    if (incoming.url !== this.format.path)
      return sendJson(response, 404, { error: { message: `no such path: ${incoming.url}`, type: 'not_found_error' } });
    if (reply.kind === 'hang') return;
    if (reply.kind === 'status') return sendJson(response, reply.status, reply.body, reply.headers);
    await this.answer(reply, request, response);
  }

  private async answer(
    reply: Exclude<FakeReply, { kind: 'hang' | 'status' }>,
    request: RecordedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const isStream = request.json['stream'] === true;
    const pieces = isStream
      ? this.format.frames(reply, request)
      : halves(JSON.stringify(this.format.document(reply, request)));
    const isWhole = reply.kind === 'answer';
    const sent = isWhole ? pieces : pieces.slice(0, Math.ceil(pieces.length / 2));
    response.writeHead(200, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
      'x-request-id': 'req_fake',
    });
    for (const piece of sent) {
      response.write(piece);
      // A frame of its own on the wire, as a real stream has them.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (reply.kind === 'stall') return;
    if (reply.kind === 'cut') return void response.destroy();
    if (reply.kind === 'stream_error') response.write(this.format.errorFrame(reply.error));
    response.end();
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
    ...headers,
  });
  response.end(text);
}

function parsed(text: string): { [key: string]: unknown } {
  try {
    return JSON.parse(text) as { [key: string]: unknown };
  } catch {
    return {};
  }
}

const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

/** Text in pieces of a few characters, as tokens come. Never splits a surrogate pair. */
export function tokens(text: string): string[] {
  const chars = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < chars.length; at += 6) pieces.push(chars.slice(at, at + 6).join(''));
  return pieces;
}
