import { addressRefusal } from './address-refused-error.js';
import type { Outbound, OutboundResponse } from './outbound.js';

export type PostAnswer =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; excerpt: string }
  | { kind: 'unreachable'; detail: string };

export type PostRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  timeoutMs: number;
  signal: AbortSignal;
};

const EXCERPT_BYTES = 500;

/** A POST whose answer is only looked at: its status and how it begins. Never throws. */
export async function post(outbound: Outbound, request: PostRequest): Promise<PostAnswer> {
  const { url, headers, body, timeoutMs, signal } = request;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await outbound.fetch(new URL(url), {
      method: 'POST',
      headers: { ...headers },
      body,
      signal: limit,
    });
    const retryAfterMs = retryAfter(response.headers.get('retry-after'));
    return { kind: 'answered', status: response.status, retryAfterMs, excerpt: await beginning(response) };
  } catch (error) {
    return { kind: 'unreachable', detail: detailOf(error, request) };
  }
}

/** The rest is left on the wire: the connection is given up. */
async function beginning(response: OutboundResponse): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const first = await reader.read();
  await reader.cancel();
  const bytes = first.value instanceof Uint8Array ? first.value.subarray(0, EXCERPT_BYTES) : new Uint8Array();
  return new TextDecoder().decode(bytes);
}

/** Seconds, or an HTTP date; anything else says nothing. */
function retryAfter(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

function detailOf(error: unknown, { timeoutMs, signal }: PostRequest): string {
  const refusal = addressRefusal(error);
  if (refusal !== null) return refusal.message;
  if (signal.aborted) return 'the process that sent it shut down';
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `no connection: ${cause instanceof Error ? cause.message : String(cause)}`;
}
