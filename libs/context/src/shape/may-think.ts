import type { NeutralMessage } from '../neutral.js';
import { isReasoning } from './fit-item.js';

/**
 * Whether Anthropic takes the request with thinking switched on: a tool loop that is under way must have begun with a
 * thinking block, which it has not when another model began it or thinking was off then. The adapter then sends this one
 * request without thinking ("To avoid this requirement, disable `thinking`", error text of the API).
 */
export function mayThink(messages: readonly NeutralMessage[]): boolean {
  const current = messages.findLastIndex((message) => message.role === 'user');
  const [first] = messages.slice(current + 1);
  const opening = first?.role === 'assistant' ? first.content[0] : undefined;
  return first === undefined || (opening !== undefined && isReasoning(opening));
}
