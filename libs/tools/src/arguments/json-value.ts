import type { Json } from '#libs/domain';

/** Parses JSON text; the result of `JSON.parse` is JSON by construction, so this boundary needs no schema. */
export function jsonValue(text: string): { ok: true; value: Json } | { ok: false; detail: string } {
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    return { ok: false, detail: withoutQuotedText(error instanceof Error ? error.message : String(error)) };
  }
}

/** V8 quotes the text in newer messages (`…, "{"a": ..." is not valid JSON`); the place is enough. */
function withoutQuotedText(message: string): string {
  return message.replace(/,? ?(\.\.\.)?".*" is not valid JSON$/s, '').replace(/ in JSON/, '');
}
