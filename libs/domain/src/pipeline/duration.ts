/** One or more numbers with a unit: `500ms`, `20s`, `1h30m`, `1.5h`, `2d`. */
export const DURATION_PATTERN = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

export const MAX_DURATION_MS = 366 * 24 * 3_600_000;

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Milliseconds, rounded; null when the text is no duration or longer than 366 days. */
export function parseDurationMs(text: string): number | null {
  if (text.length > 64 || !DURATION_PATTERN.test(text)) return null;
  let total = 0;
  for (const part of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(part[1]) * (UNIT_MS.get(part[2] ?? '') ?? Number.NaN);
  }
  const rounded = Math.round(total);
  return rounded <= MAX_DURATION_MS ? rounded : null;
}

/** What to write instead of a duration that was not understood. */
export function expectedDuration(found: unknown): string {
  if (typeof found === 'number')
    return `a duration with its unit: "${found}s" for seconds, "${found}ms" for milliseconds`;
  if (typeof found === 'string' && /^\d+(\.\d+)?$/.test(found))
    return `a duration with its unit: "${found}s" for seconds`;
  if (typeof found === 'string' && /^p/i.test(found))
    return 'a duration such as "5m" or "1h30m"; ISO 8601 durations are not read';
  return 'a duration of at most 366 days, such as "500ms", "20s", "5m", "1h30m" or "2d"';
}
