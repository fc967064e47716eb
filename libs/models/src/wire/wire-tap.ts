import { createHash } from 'node:crypto';
import { TransformStream } from 'node:stream/web';
import type { Outbound } from '#libs/outbound';
import type { CallDeadline } from '../outcome/call-deadline.js';
import { retryAfterMs } from './retry-after.js';

/** An answer with a status other than 2xx, as it came. `text` is its body, at most 64 KiB of it. */
export type HttpFailure = { status: number; text: string; retryAfterMs: number | null };

const MAX_ERROR_BYTES = 65_536;
const MAX_ANSWER_BYTES = 67_108_864;

type TapOptions = {
  outbound: Outbound;
  deadline: CallDeadline;
  /** The operator's headers of the connection; null takes one away that the client set. */
  headers: Readonly<Record<string, string | null>>;
};

/**
 * What stands between a provider's client and the network during one call: the address guard, our deadline on every byte,
 * the hash of the body as sent, and what a client hides of a failure. Clients hand over text bodies only.
 */
export class WireTap {
  /** SHA-256 (hex) of the body of the last request; null before one was sent. */
  wireHash: string | null = null;
  sentText = '';
  httpFailure: HttpFailure | null = null;
  /** A 2xx answer has begun. */
  hasAnswer = false;

  constructor(private readonly options: TapOptions) {}

  /** For a client's `fetch` option. */
  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { outbound, deadline } = this.options;
    const body = typeof init.body === 'string' ? init.body : '';
    this.sentText = body;
    this.wireHash = createHash('sha256').update(body).digest('hex');
    const url = new URL(input instanceof Request ? input.url : input);
    const response = await outbound.fetch(url, {
      method: init.method ?? 'POST',
      headers: this.headers(init.headers),
      body,
      signal: deadline.signal,
    });
    deadline.touch();
    const headers = Object.fromEntries(response.headers);
    if (!response.ok) {
      const text = await boundedText(response.body, MAX_ERROR_BYTES);
      this.httpFailure = { status: response.status, text, retryAfterMs: retryAfterMs(headers, Date.now()) };
      return new Response(text, { status: response.status, headers });
    }
    this.hasAnswer = true;
    const watched = response.body?.pipeThrough(watching(deadline)) ?? null;
    return new Response(watched, { status: response.status, headers });
  };

  private headers(given: RequestInit['headers']): Record<string, string> {
    const headers = new Headers(given);
    for (const [name, value] of Object.entries(this.options.headers)) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    return Object.fromEntries(headers);
  }
}

function watching(deadline: CallDeadline): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      deadline.touch();
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) controller.error(new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

async function boundedText(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8').slice(0, maxBytes);
}
