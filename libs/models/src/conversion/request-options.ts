import type { JsonObject } from '#libs/domain';

/** What the adapter itself decides: authors' `extra` must not replace it. */
const OURS = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stream',
  'stream_options',
  'n',
  'response_format',
  'input',
  'instructions',
  'store',
  'previous_response_id',
  'conversation',
  'background',
]);

/** `extra` of an agent, without the keys that Weir sets. */
export function passedThrough(extra: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(extra).filter(([key]) => !OURS.has(key)));
}
