import { readJson, type Json } from '#libs/domain';

/** JSON text as a value, or why it is none, without quoting it. */
export function jsonValue(text: string): { ok: true; value: Json } | { ok: false; detail: string } {
  try {
    return { ok: true, value: readJson(text) };
  } catch (error) {
    return { ok: false, detail: withoutQuotedText(error instanceof Error ? error.message : String(error)) };
  }
}

/** V8 quotes the text in newer messages (`…, "{"a": ..." is not valid JSON`); the place is enough. */
function withoutQuotedText(message: string): string {
  return message.replace(/,? ?(\.\.\.)?".*" is not valid JSON$/s, '').replace(/ in JSON/, '');
}
