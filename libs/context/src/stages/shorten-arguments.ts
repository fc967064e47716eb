import type { Json, JsonObject } from '#libs/domain';
import { parseArguments } from '../shape/call-arguments.js';
import { countCodePoints, cutStart } from '../shape/index.js';

/** Arguments of masked turns up to this length stay as they are. */
export const MAX_ARGUMENT_CHARS = 1_000;
/** Tried in this order, until the whole fits. */
const STRING_LIMITS = [300, 120, 40, 12];
const MAX_MEMBERS = 12;

/** Arguments longer than `MAX_ARGUMENT_CHARS` with their long strings and lists cut; valid JSON, an object, never longer. */
export function shortenArguments(text: string): string {
  if (text.length <= MAX_ARGUMENT_CHARS || countCodePoints(text) <= MAX_ARGUMENT_CHARS) return text;
  const value = parseArguments(text) ?? { value: text };
  for (const limit of STRING_LIMITS) {
    const short = JSON.stringify(shortenObject(value, limit));
    if (countCodePoints(short) <= MAX_ARGUMENT_CHARS) return short;
  }
  return JSON.stringify({ shortened: cutStart(text, MAX_ARGUMENT_CHARS / 4) });
}

function shorten(value: Json, limit: number): Json {
  if (typeof value === 'string') return shortenString(value, limit);
  if (Array.isArray(value)) {
    const kept = value.slice(0, MAX_MEMBERS).map((item) => shorten(item, limit));
    return value.length > kept.length ? [...kept, `[${value.length - kept.length} more]`] : kept;
  }
  return typeof value === 'object' && value !== null ? shortenObject(value, limit) : value;
}

function shortenObject(value: JsonObject, limit: number): JsonObject {
  const members = Object.entries(value);
  const short = members
    .slice(0, MAX_MEMBERS)
    .map(([key, member]): [string, Json] => [shortenString(key, 80), shorten(member, limit)]);
  if (members.length > MAX_MEMBERS) short.push(['…', `[${members.length - MAX_MEMBERS} more]`]);
  return Object.fromEntries(short);
}

function shortenString(text: string, limit: number): string {
  const chars = countCodePoints(text);
  if (chars <= limit + 24) return text;
  const head = cutStart(text, limit);
  return `${head}… [${chars - countCodePoints(head)} chars cut]`;
}
