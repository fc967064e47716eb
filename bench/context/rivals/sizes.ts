import { STANDARD_WEIGHTS, type NeutralMessage } from '../../../libs/context/src/index.js';
import { messageChars } from '../../../libs/context/src/measure/part-chars.js';

/** Chars of messages as Weir counts them, for every rival alike. */
export const charsOf = (messages: readonly NeutralMessage[]): number =>
  messages.reduce((sum, message) => sum + messageChars(message, STANDARD_WEIGHTS), 0);
