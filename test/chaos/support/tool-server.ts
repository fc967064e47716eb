import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type Effect = { readonly key: string | null; readonly body: { readonly [name: string]: unknown } };

/** A service with effects, as tools call it: what it has done once for an `Idempotency-Key` it does not do again. */
export class ToolServer {
  /** All requests, in order; without repeats by key they are the effects. */
  readonly requests: Effect[] = [];

  private constructor(private readonly server: Server) {}

  /** `latencyMs`: how long a request takes. */
  static async open(latencyMs: () => number): Promise<ToolServer> {
    const server = createServer();
    const tool = new ToolServer(server);
    server.on('request', (request, response) => {
      tool.serve(request, response, latencyMs()).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return tool;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What was done, once for each key. */
  effects(): Effect[] {
    const keyed = new Map(this.requests.flatMap((effect) => (effect.key === null ? [] : [[effect.key, effect]])));
    return [...keyed.values(), ...this.requests.filter(({ key }) => key === null)];
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse, latencyMs: number): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const key = request.headers['idempotency-key'];
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Effect['body'];
    this.requests.push({ key: typeof key === 'string' ? key : null, body });
    // Done, and the answer is on its way: whoever dies now does not know.
    await delay(latencyMs);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ done: body }));
  }
}
