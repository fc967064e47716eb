import { MOST_JSON_LEVELS, unfitJson, type Json, type JsonObject } from '#libs/domain';
import { isWellFormed, wellFormed, wellFormedJson } from './well-formed.js';

/** The arguments as an object, or null when they are none that every provider takes. */
export function parseArguments(text: string): JsonObject | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

/** Undefined: the text is no JSON, or nested so deep that a provider's client overflows when it writes it down again. */
function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isParsed(value) && !isTooDeep(text, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Each level takes two characters, so most arguments are not walked. */
const isTooDeep = (text: string, value: Json): boolean =>
  text.length > 2 * MOST_JSON_LEVELS && unfitJson(value)?.reason === 'too_deep';

/** `JSON.parse` gives JSON; its type does not say so. */
const isParsed = (value: unknown): value is Json => value !== undefined;

/**
 * The string that is sent for the arguments of a call: as received when it is a JSON object of well-formed strings (its
 * bytes are kept: order of keys and spaces too), else an object that holds what was received.
 */
export function fitArguments(text: string): string {
  const clean = wellFormed(text);
  if (clean.trim() === '') return '{}';
  const value = parseJson(clean);
  if (value === undefined) return JSON.stringify({ invalid_arguments: clean });
  if (!isJsonObject(value)) return JSON.stringify({ value: wellFormedJson(value) });
  return hasOnlyWellFormed(clean, value) ? clean : JSON.stringify(wellFormedJson(value));
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Only an escape can put a lone surrogate or NUL into a value whose text has none, so most arguments are not walked. */
export function hasOnlyWellFormed(text: string, value: Json): boolean {
  return !/\\u(?:d[89a-f]|0000)/i.test(text) || stringsOf(value).every(isWellFormed);
}

function* walk(root: Json): Generator<string> {
  const open: Json[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') yield value;
    else if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (value !== null && typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) {
        yield key;
        open.push(item);
      }
    }
  }
}

/** All strings of a value, keys included, in no particular order. */
export const stringsOf = (value: Json): string[] => [...walk(value)];
