import type { Json } from '#libs/domain';
import { parseArguments } from '../shape/call-arguments.js';
import { abbreviate, countCodePoints, wellFormed } from '../shape/index.js';

const MAX_CHARS = 80;

/**
 * What the placeholder of a masked result shows of its call, fixed in the event at append: the tool's declared primary
 * argument, else the first string among the arguments; at most 80 chars, cut at a grapheme, escaped as in JSON. Null: none.
 */
export function placeholderArgument(primaryArgument: string | null, argumentsText: string): string | null {
  const values = parseArguments(argumentsText);
  if (values === null) return null;
  const declared = primaryArgument === null ? undefined : values[primaryArgument];
  const value = declared ?? Object.values(values).find((one) => typeof one === 'string');
  return value === undefined || value === null ? null : escapedArgument(textOf(value));
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Escapes lengthen, so the text is cut until it fits with them. */
export function escapedArgument(text: string): string {
  let room = MAX_CHARS;
  let escaped = escape(abbreviate(wellFormed(text), room));
  while (countCodePoints(escaped) > MAX_CHARS && room > 1) {
    room = Math.max(1, room - Math.ceil((countCodePoints(escaped) - MAX_CHARS) / 6));
    escaped = escape(abbreviate(wellFormed(text), room));
  }
  return escaped;
}

const escape = (text: string): string => JSON.stringify(text).slice(1, -1);
