const MAX_DETAIL_CHARS = 300;
const MIN_ECHO_CHARS = 16;

/**
 * A provider's message that may be stored and shown: no key, nothing that was sent (providers quote parts of requests),
 * one line, at most 300 chars. `sent` is the body of the request, `keys` are the connection's secrets.
 */
export function safeDetail(message: string, sent: string, keys: readonly string[]): string {
  let safe = message
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_DETAIL_CHARS * 2);
  for (const key of keys) if (key.length >= 4) safe = safe.replaceAll(key, '[key]');
  safe = safe.replace(/\b(?:sk|pk|key|Bearer)[-_ ][\w*.…-]{6,}/g, '[key]');
  return withoutEchoes(safe, sent).slice(0, MAX_DETAIL_CHARS);
}

/** Replaces every run of 16 or more chars that occurs in the request. */
function withoutEchoes(message: string, sent: string): string {
  let kept = '';
  let at = 0;
  while (at < message.length) {
    let length = 0;
    if (sent.includes(message.slice(at, at + MIN_ECHO_CHARS)) && at + MIN_ECHO_CHARS <= message.length) {
      length = MIN_ECHO_CHARS;
      while (at + length < message.length && sent.includes(message.slice(at, at + length + 1))) length += 1;
    }
    kept += length === 0 ? message.charAt(at) : '[…]';
    at += Math.max(length, 1);
  }
  return kept;
}
