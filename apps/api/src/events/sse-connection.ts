import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** What a client may be behind: unsent bytes in this process. Events are replayed from Postgres, so little is needed. */
const MAX_UNSENT_BYTES = 1024 * 1024;

export type Frame = { readonly event: string; readonly id?: string; readonly data: unknown };

/**
 * One `text/event-stream` answer. Nobody waits for its client: frames are written while it keeps up, and a client that
 * does not is dropped, to come back with its `Last-Event-ID`.
 */
export class SseConnection {
  private readonly response: ServerResponse;
  private readonly controller = new AbortController();

  constructor(
    reply: FastifyReply,
    private readonly keepAliveMs: number,
  ) {
    // The headers that hooks have set (the request's id) go along.
    const headers = reply.getHeaders();
    reply.hijack();
    this.response = reply.raw;
    this.response.on('close', () => this.controller.abort());
    this.response.on('error', () => this.controller.abort());
    this.response.writeHead(200, {
      ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    this.response.flushHeaders();
  }

  /** Aborts when the client has gone or was dropped. */
  get closed(): AbortSignal {
    return this.controller.signal;
  }

  /** Calls back with `: keep-alive` comments until closed; returns how to stop. */
  keepAlive(): () => void {
    const timer = setInterval(() => {
      if (!this.isBehind()) this.response.write(': keep-alive\n\n');
    }, this.keepAliveMs);
    return () => clearInterval(timer);
  }

  /** Deltas may be left out when the client is behind: they are never replayed. */
  sendIfKeepingUp(frame: Frame): void {
    if (!this.isBehind()) this.write(frame);
  }

  /** False: the client is too far behind and must be dropped. */
  send(frame: Frame): boolean {
    if (this.isBehind()) return false;
    this.write(frame);
    return true;
  }

  /** The last frame, whatever the client has still to read. */
  end(frame: Frame): void {
    if (this.closed.aborted) return;
    this.write(frame);
    this.response.end();
  }

  /** Ends without a word: the client reconnects by itself. */
  cut(): void {
    this.response.end();
  }

  /** For a client that does not read: the frame is tried, the socket is not waited for. */
  drop(frame: Frame): void {
    if (this.closed.aborted) return;
    this.write(frame);
    this.response.end();
    const timer = setTimeout(() => this.response.destroy(), 1000);
    this.response.on('close', () => clearTimeout(timer));
  }

  private isBehind(): boolean {
    return this.response.writableLength > MAX_UNSENT_BYTES;
  }

  private write({ event, id, data }: Frame): void {
    if (this.closed.aborted) return;
    const lines = [`event: ${event}`, ...(id === undefined ? [] : [`id: ${id}`]), `data: ${JSON.stringify(data)}`];
    this.response.write(`${lines.join('\n')}\n\n`);
  }
}
