import { canonicalJson, type EventData, type EventType } from '#libs/domain';
import { countCodePoints } from '../shape/cut-text.js';
import { callsChars, contentChars, partsChars, STANDARD_WEIGHTS } from './part-chars.js';

/** An event's type with its data, as appended. */
export type EventBody = { [T in EventType]: { type: T; data: EventData<T> } }[EventType];

/**
 * The chars stored with an event: code points of what a model would be sent of it, whole, without fences and call ids.
 * 0 for what a model cannot see.
 */
export function entryChars(body: EventBody): number {
  if (body.type === 'UserMessageReceived' || body.type === 'DocumentsProvided' || body.type === 'ToolCallCompleted') {
    return contentChars(body.data.content, STANDARD_WEIGHTS);
  }
  if (body.type === 'LlmCallCompleted') {
    const { content, tool_calls: calls } = body.data.message;
    return partsChars(content, STANDARD_WEIGHTS) + callsChars(calls);
  }
  return body.type === 'MemoryShown' ? countCodePoints(canonicalJson(body.data.memory)) : 0;
}
