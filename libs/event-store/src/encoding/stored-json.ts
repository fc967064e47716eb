/**
 * JSON as Postgres can hold it. NUL and lone surrogates are legal in JavaScript strings and refused by jsonb (22P05,
 * 22P02). They are written as DLE (U+0010) and four hex digits of the code unit; DLE itself is written the same way, so
 * every DLE in stored text begins an escape and reading is unambiguous. Works on the JSON text, keys included:
 * `JSON.stringify` prints exactly these code units as `\uXXXX`.
 */
const ESCAPES_TO_STORE = /\\u(?:0000|0010|d[89a-f])/;
const STRINGIFIED_ESCAPE = /\\(?:u(0000|0010|d[89a-f][0-9a-f]{2})|.)/g;
const STORED_ESCAPE = /\\(?:u0010([0-9a-f]{4})|.)/g;

/** @returns JSON text for a `text → jsonb` parameter; null for null and undefined (SQL NULL). */
export function toStoredJson(value: unknown): string | null {
  return value === null || value === undefined ? null : storedForm(JSON.stringify(value));
}

/** The same of JSON text as `JSON.stringify` prints it. */
export function storedForm(text: string): string {
  if (!ESCAPES_TO_STORE.test(text)) return text;
  return text.replace(STRINGIFIED_ESCAPE, (escape, code: string | undefined) =>
    code === undefined ? escape : `\\u0010${code}`,
  );
}

/** The value that `toStoredJson` was given, from jsonb as Postgres prints it. */
export function fromStoredJson(text: string): unknown {
  if (!text.includes('\\u0010')) return JSON.parse(text);
  return JSON.parse(
    text.replace(STORED_ESCAPE, (escape, code: string | undefined) => (code === undefined ? escape : `\\u${code}`)),
  );
}
