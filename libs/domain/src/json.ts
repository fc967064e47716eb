import { z } from 'zod';

/** A JSON value. Numbers are doubles; strings may be any UTF-16, the store escapes what Postgres cannot hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const jsonSchema: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(jsonSchema), z.record(z.string(), jsonSchema)]),
);
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonSchema);

/**
 * `JSON.parse` with the type of what it gives. @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): Json;
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}

/** Levels of lists and objects. Deeper than anybody writes, and far from where writing it down again overflows the stack. */
export const MOST_JSON_LEVELS = 500;

export type UnfitJson = {
  readonly reason: 'too_deep' | 'too_many' | 'not_finite' | 'reserved_key';
  /** Keys and indices from the root; empty for `too_many`. */
  readonly path: readonly (string | number)[];
};

/** Coarser than `MOST_JSON_LEVELS`: what is under it is cheap to read, and then refused with its place. */
const MOST_TEXT_LEVELS = 250_000;
/** Members of objects in one text: each may be a new name, and a million of those take seconds to read and to check. */
export const MOST_JSON_MEMBERS = 200_000;

/**
 * What would make text too costly to be parsed: it is counted, not read, so text that is no JSON may have it too. Null when
 * nothing would.
 */
export function costlyJson(text: string): 'too_deep' | 'too_many' | null {
  // Each level and each member takes a character.
  if (text.length <= MOST_JSON_MEMBERS) return null;
  let level = 0;
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COLON:
        members += 1;
        if (members > MOST_JSON_MEMBERS) return 'too_many';
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        level += 1;
        if (level > MOST_TEXT_LEVELS) return 'too_deep';
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        level -= 1;
        break;
    }
  }
  return null;
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

type Place = { readonly value: object; readonly parent: Place | null; readonly key: string | number; level: number };

/**
 * The first place of what a reader gave that cannot be kept as it came: values over `MOST_JSON_LEVELS` deep, numbers that
 * no double holds (they would be written down as null), and `__proto__` as a key, which copies would take for an object's
 * prototype. Null when there is none. Shared parts (aliases of YAML) count each time. It does not call itself: it would
 * overflow on exactly what it looks for.
 * @param mostValues how many values there may be; without it any number.
 */
export function unfitJson(root: unknown, mostValues = Infinity): UnfitJson | null {
  const open: Place[] = [];
  let values = 0;
  const rootFault = look(root, null, '', open);
  if (rootFault !== null) return { reason: rootFault, path: [] };
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const members: Iterable<[string | number, unknown]> = Array.isArray(place.value)
      ? place.value.entries()
      : Object.entries(place.value);
    for (const [key, value] of members) {
      values += 1;
      if (values > mostValues) return { reason: 'too_many', path: [] };
      const reason = key === '__proto__' ? 'reserved_key' : look(value, place, key, open);
      if (reason !== null) return { reason, path: pathTo(place, key) };
    }
  }
  return null;
}

function look(value: unknown, parent: Place | null, key: string | number, open: Place[]): UnfitJson['reason'] | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'not_finite';
  if (typeof value !== 'object' || value === null) return null;
  const level = (parent?.level ?? 0) + 1;
  if (level > MOST_JSON_LEVELS) return 'too_deep';
  open.push({ value, parent, key, level });
  return null;
}

function pathTo(place: Place, key: string | number): (string | number)[] {
  const path = [key];
  for (let at: Place | null = place; at !== null && at.parent !== null; at = at.parent) path.unshift(at.key);
  return path;
}

/**
 * JSON text that others wrote. @throws SyntaxError when it is not JSON, or what `costlyJson` or `unfitJson` finds is in it.
 */
export function readJson(text: string): Json {
  const costly = costlyJson(text);
  if (costly !== null) throw new SyntaxError(UNFIT_WORDS[costly]);
  const value = parseJson(text);
  const unfit = unfitJson(value);
  if (unfit === null) return value;
  throw new SyntaxError(`${UNFIT_WORDS[unfit.reason]} (at ${placeWords(unfit.path)})`);
}

/** What is wrong, as the end of a sentence. */
export const UNFIT_WORDS: { readonly [reason in UnfitJson['reason']]: string } = {
  too_deep: `values are nested over ${MOST_JSON_LEVELS} levels deep`,
  too_many: 'there are too many values',
  not_finite: 'a number is too large; write it as a string',
  reserved_key: 'a key is "__proto__", which is not allowed',
};

const MOST_SHOWN_KEYS = 6;

/** `/steps/2/with`, cut where it is long. */
export function placeWords(path: readonly (string | number)[]): string {
  const shown = path.slice(0, MOST_SHOWN_KEYS).map((key) => `/${[...String(key)].slice(0, 60).join('')}`);
  return shown.length === 0 ? 'the root' : `${shown.join('')}${path.length > MOST_SHOWN_KEYS ? '/…' : ''}`;
}
