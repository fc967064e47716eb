/** The wait that an answer asks for, in ms: `retry-after-ms`, else `retry-after` in seconds or as a date; null when it says nothing usable. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const precise = numberOf(headers['retry-after-ms']);
  if (precise !== null) return precise;
  const value = headers['retry-after'];
  const seconds = numberOf(value);
  if (seconds !== null) return seconds * 1_000;
  const date = Date.parse(value ?? '');
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : null;
}
