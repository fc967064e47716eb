import { addressRefusal, type Outbound, type OutboundResponse } from '#libs/outbound';
import type { HttpRequest } from './http-request.js';
import { safeUrl } from './render-url.js';

export type Sent =
  | { ok: true; response: OutboundResponse; url: URL }
  | { ok: false; detail: string; retryable: boolean; mayHaveTakenEffect?: true };

/** Why a request may not go to an address, or null. Asked for the first address and for each behind a redirect. */
export type RefuseUrl = (url: URL) => string | null;

const MAX_REDIRECTS = 5;
/** How a connection ends that the other side closed, also an idle one that was kept: undici's word and the system's. */
const BROKEN = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];
/** Not sent to another origin than the one they were meant for. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'x-api-key', 'idempotency-key'];

/**
 * Sends a request and follows redirects, each checked like the first address. GET and HEAD follow all; 303 turns any other
 * method into GET; other redirects of other methods are not followed, since the server may have acted already. A connection
 * that breaks before the answer is no failure of the call where it may be repeated: it is sent once more, with the same headers.
 */
export async function sendRequest(
  outbound: Outbound,
  request: HttpRequest,
  { refuse, mayRepeat, signal }: { refuse: RefuseUrl; mayRepeat: boolean; signal: AbortSignal },
): Promise<Sent> {
  let current = request;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const refused = refuse(current.url);
    if (refused !== null) return { ok: false, detail: refused, retryable: false };
    const answered = await attempt(outbound, current, signal, mayRepeat);
    if (!answered.ok) return answered;
    const next = await redirected(answered.response, current);
    if (next === null) return answered;
    if ('detail' in next) return { ok: false, ...next };
    current = next;
  }
  return { ok: false, detail: `the address redirects more than ${MAX_REDIRECTS} times`, retryable: false };
}

async function attempt(
  outbound: Outbound,
  request: HttpRequest,
  signal: AbortSignal,
  mayRepeat: boolean,
): Promise<Sent> {
  const { method, url, headers, body } = request;
  try {
    const response = await outbound.fetch(url, { method, headers: Object.fromEntries(headers), body, signal });
    return { ok: true, response, url };
  } catch (error) {
    const refusal = addressRefusal(error);
    if (refusal !== null) return { ok: false, detail: refusal.message, retryable: false };
    // The caller's signal: whoever aborted it decides what the outcome is.
    signal.throwIfAborted();
    const reason = reasonOf(error);
    if (!BROKEN.includes(reason))
      return { ok: false, detail: `${url.host} cannot be reached (${reason})`, retryable: true };
    if (mayRepeat) return attempt(outbound, request, signal, false);
    const detail = `the connection to ${url.host} broke before it answered (${reason}); the call may have taken effect all the same`;
    return { ok: false, detail, retryable: true, mayHaveTakenEffect: true };
  }
}

/** The next request, null when the answer is no redirect, or why it is not followed. */
async function redirected(
  response: OutboundResponse,
  from: HttpRequest,
): Promise<HttpRequest | null | { detail: string; retryable: boolean }> {
  const location = response.headers.get('location');
  if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return null;
  await response.body?.cancel();
  if (!URL.canParse(location, from.url.href))
    return { detail: 'the address redirects to something that is no address', retryable: false };
  const target = safeUrl(new URL(location, from.url));
  if (!target.ok) return { detail: `redirect: ${target.detail}`, retryable: false };
  const { url } = target;
  if (from.url.protocol === 'https:' && url.protocol === 'http:')
    return {
      detail: `the address redirects from https to http (${url.host}), which is not followed`,
      retryable: false,
    };
  const isRead = from.method === 'GET' || from.method === 'HEAD';
  if (!isRead && response.status !== 303)
    return {
      detail: `the address answers ${from.method} with a redirect to ${url.host}${url.pathname}, which is not followed`,
      retryable: false,
    };
  const headers = new Map(from.headers);
  if (url.origin !== from.url.origin) for (const name of PRIVATE_HEADERS) headers.delete(name);
  if (isRead) return { ...from, url, headers };
  headers.delete('content-type');
  return { method: 'GET', url, headers, body: null };
}

/** The code of the innermost cause that has one, as the system or the client names it: `fetch failed` says nothing. */
export function reasonOf(error: unknown): string {
  let current: unknown = error;
  let reason = 'the connection failed';
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth += 1) {
    if ('code' in current && typeof current.code === 'string') reason = current.code;
    current = 'cause' in current ? current.cause : null;
  }
  return reason;
}
