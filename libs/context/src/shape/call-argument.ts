import { parseArguments } from './call-arguments.js';
import { cutStart } from './cut-text.js';
import { wellFormed } from './well-formed.js';

/** Chars of an argument in a placeholder. */
const MAX_ARGUMENT_CHARS = 80;

/**
 * What a masked result shows of its call: the declared primary argument, else the first string among the arguments, at most
 * 80 chars, cut at a grapheme; null when there is none. Fixed in the event at append (`ToolCallCompleted.argument`).
 */
export function callArgument(argumentsText: string, primary: string | null): string | null {
  const values = parseArguments(argumentsText);
  if (values === null) return null;
  const declared = primary === null || !Object.hasOwn(values, primary) ? undefined : values[primary];
  const shown = declared ?? Object.values(values).find((value) => typeof value === 'string');
  if (shown === undefined || shown === null) return null;
  return cutStart(wellFormed(typeof shown === 'string' ? shown : JSON.stringify(shown)), MAX_ARGUMENT_CHARS);
}
