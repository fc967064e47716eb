import { parseJson, type Json, type JsonObject, type StoredEvent, type StoredEventOf } from '#libs/domain';

/** A stored conversation in the transcript form; `importTranscript` reads it back into equal entries. */
export type ExportedTranscript = { source: JsonObject; messages: JsonObject[]; events: JsonObject[] };

/**
 * The conversation entries of one sub-stream (ascending seq) as a transcript, whole: masking and summaries are of contexts,
 * not of the stream. Left out is what no context shows: failed calls, results that are still to come, erased entries.
 */
export function exportTranscript(events: readonly StoredEvent[], source: JsonObject): ExportedTranscript {
  const exported: ExportedTranscript = { source, messages: [], events: [] };
  for (const event of events) {
    if (event.type === 'ConversationInterrupted') {
      const { reason } = event.data;
      exported.events.push({ at: exported.messages.length, type: 'interrupted', reason });
      continue;
    }
    const message = messageOf(event);
    if (message !== null) exported.messages.push(message);
  }
  return exported;
}

function messageOf(event: StoredEvent): JsonObject | null {
  if (event.type === 'UserMessageReceived') {
    const { content, injected } = event.data;
    return { role: 'user', content: json(content), ...(injected === true ? { meta: { injected } } : {}) };
  }
  if (event.type === 'DocumentsProvided') {
    const { content, name = null } = event.data;
    return { role: 'user', content: json(content), meta: { entry: 'documents', injected: true, name } };
  }
  if (event.type === 'MemoryShown') {
    const { memory, memory_seq } = event.data;
    const meta = { entry: 'memory', injected: true, memory, memory_seq };
    return { role: 'user', content: JSON.stringify(memory), meta };
  }
  if (event.type === 'LlmCallCompleted') return answerOf(event);
  return event.type === 'ToolCallCompleted' ? resultOf(event) : null;
}

function answerOf({ data }: StoredEventOf<'LlmCallCompleted'>): JsonObject {
  const { message, model, finish_reason } = data;
  const calls = message.tool_calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
  return {
    role: 'assistant',
    content: json(message.content),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    meta: { model, stop_reason: finish_reason },
  };
}

function resultOf({ data }: StoredEventOf<'ToolCallCompleted'>): JsonObject | null {
  const { tool_call_id, name, status, content, argument } = data;
  if (status === 'pending') return null;
  const is_error = status === 'error';
  return { role: 'tool', tool_call_id, name, content: json(content), is_error, meta: { status, argument } };
}

/** Content is JSON by its schema; absent members vanish. */
const json = (content: object | string): Json => parseJson(JSON.stringify(content));
