import type { StoredEvent } from '#libs/domain';
import type { ConversationMessage } from './conversation.schema.js';

/** An entry as a chat shows it; null for what is no message of its own: a task asked again, an erased entry. */
export function toMessage(event: StoredEvent): ConversationMessage | null {
  if (event.type === 'UserMessageReceived') {
    const { content, origin, injected = false, reissued = false } = event.data;
    return reissued ? null : { ...blank(event), kind: 'user', role: 'user', content, origin, injected };
  }
  if (event.type === 'DocumentsProvided') {
    const { content, name = null } = event.data;
    return { ...blank(event), kind: 'documents', role: 'user', content, name, injected: true };
  }
  if (event.type === 'MemoryShown')
    return { ...blank(event), kind: 'memory', role: 'user', content: event.data.memory, injected: true };
  if (event.type === 'LlmCallCompleted') {
    const { message, model, finish_reason: status } = event.data;
    const { content, tool_calls } = message;
    return { ...blank(event), kind: 'answer', role: 'assistant', content, tool_calls, model, status };
  }
  if (event.type === 'ToolCallCompleted') {
    const { content, tool_call_id, name, status } = event.data;
    return { ...blank(event), kind: 'result', role: 'tool', content, tool_call_id, name, status };
  }
  return null;
}

const blank = ({ entry, runId, chars, recordedAt }: StoredEvent) => ({
  entry: entry ?? 0,
  run_id: runId,
  tool_calls: [],
  tool_call_id: null,
  name: null,
  status: null,
  model: null,
  origin: null,
  injected: false,
  chars,
  recorded_at: recordedAt,
});
