import { repairConversation, toWire, type NeutralMessage } from '#libs/context';
import type { JsonObject, StoredEvent } from '#libs/domain';

/** A stored conversation in OpenAI's chat form: repaired, since there each call has one result directly behind it. */
export function toOpenaiMessages(events: readonly StoredEvent[]): JsonObject[] {
  const { entries } = repairConversation(events);
  const ids = new Map<string, string>();
  const messages = entries.map((entry): NeutralMessage => {
    switch (entry.kind) {
      case 'user':
      case 'documents':
        return { role: 'user', content: entry.content };
      case 'memory':
        return { role: 'user', content: [{ type: 'text', text: JSON.stringify(entry.memory) }] };
      case 'assistant': {
        // Providers' ids may repeat within a conversation.
        const tool_calls = entry.calls.map((call, ordinal) => {
          const id = `call_${entry.entry}_${ordinal}`;
          ids.set(`${entry.entry}/${ordinal}`, id);
          return { ...call, id };
        });
        return { role: 'assistant', content: entry.content, tool_calls };
      }
      case 'result': {
        const tool_call_id = ids.get(`${entry.call.entry}/${entry.call.ordinal}`) ?? '';
        return { role: 'tool', tool_call_id, name: entry.name, status: entry.status, content: entry.content };
      }
    }
  });
  return toWire({ system: null, messages, tools: [] }, 'openai_chat').messages;
}
