import type { Json } from '#libs/domain';

/**
 * Text that JSON, Postgres and every provider take: lone surrogates and NUL become U+FFFD. One character for one, so
 * sizes in code points stay what they were.
 */
export function wellFormed(text: string): string {
  return isWellFormed(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}

export function isWellFormed(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** White space only, or nothing: what providers refuse as an empty text block. */
export function isBlank(text: string): boolean {
  return !/\S/u.test(text);
}

/** A copy with every string, keys included, well-formed. */
export function wellFormedJson(value: Json): Json {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(wellFormedJson);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormedJson(item)]));
}
