import type { StoredEvent } from '#libs/domain';
import { measureItem, measureOnce, type Measured } from '../measure/measured-item.js';
import type { ModelFacts } from '../neutral.js';
import type { Entry, ShownItem } from '../view/entry.js';
import { documentsContent, memoryContent } from '../view/fence.js';

/** An entry as it is shown whole. */
export function whole(entry: Entry, event: StoredEvent | null, model: ModelFacts, maxValueChars: number): Measured {
  const make = (): ShownItem => wholeItem(entry, maxValueChars);
  return measureOnce(event, entry.source.kind === 'memory' ? `whole:${maxValueChars}` : 'whole', model, make) ?? measureItem(make(), model);
}

function wholeItem({ source }: Entry, maxValueChars: number): ShownItem {
  switch (source.kind) {
    case 'user':
      return { role: 'user', entry: source.entry, content: source.content, state: 'whole', pinned: false };
    case 'documents':
      return { role: 'user', entry: source.entry, content: documentsContent(source.content, source.name, source.entry), state: 'whole', pinned: false };
    case 'memory':
      return { role: 'user', entry: source.entry, content: memoryContent(source.memory, maxValueChars), state: 'whole', pinned: false };
    case 'assistant':
      return { role: 'assistant', entry: source.entry, model: source.model, content: source.content, calls: source.calls, state: 'whole' };
    case 'result':
      return { role: 'tool', entry: source.entry, call: source.call, name: source.name, status: source.status, content: source.content, state: 'whole' };
  }
}
