import type { ConversationEntry } from '../shape/index.js';
import type { ShownItem } from '../view/entry.js';

/** Every entry whole: what the stages hand to the shape when no section of a policy is at work. */
export function wholeItems(entries: readonly ConversationEntry[]): ShownItem[] {
  return entries.map((entry): ShownItem => {
    switch (entry.kind) {
      case 'user':
      case 'documents':
        return { role: 'user', entry: entry.entry, content: entry.content, state: 'whole', pinned: false };
      case 'memory':
        return {
          role: 'user',
          entry: entry.entry,
          content: [{ type: 'text', text: JSON.stringify(entry.memory) }],
          state: 'whole',
          pinned: false,
        };
      case 'assistant':
        return {
          role: 'assistant',
          entry: entry.entry,
          model: entry.model,
          content: entry.content,
          calls: entry.calls,
          state: 'whole',
        };
      case 'result':
        return {
          role: 'tool',
          entry: entry.entry,
          call: entry.call,
          name: entry.name,
          status: entry.status,
          content: entry.content,
          state: 'whole',
        };
    }
  });
}
