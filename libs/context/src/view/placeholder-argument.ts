import { callArgument } from '../shape/index.js';

/**
 * What the placeholder of a masked result shows of its call, fixed in the event at append: the tool's declared primary
 * argument, else the first string among the arguments; at most 80 chars, cut at a grapheme. Null: none. Escaped when shown.
 */
export const placeholderArgument = (primaryArgument: string | null, argumentsText: string): string | null =>
  callArgument(argumentsText, primaryArgument);
