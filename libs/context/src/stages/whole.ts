import type { ContentPart } from '#libs/domain';
import { measureItem, measureOutline, type Forms, type Measured } from '../measure/measured-item.js';
import type { ModelFacts } from '../neutral.js';
import type { Entry, ShownItem } from '../view/entry.js';
import { documentsContent, memoryContent } from '../view/fence.js';

/** An entry as it is shown whole. An outline is as long as its result, and never shown so. */
export function whole(entry: Entry, forms: Forms | null, model: ModelFacts, maxValueChars: number): Measured {
  const { source } = entry;
  const form = source.kind === 'memory' ? `whole:${maxValueChars}` : 'whole';
  const found = forms?.get(form) ?? null;
  if (found !== null) return found;
  const item = wholeItem(entry, maxValueChars);
  const measured =
    source.kind === 'result' && source.isOutline ? measureOutline(item, source.chars, model) : measureItem(item, model);
  forms?.add(form, measured);
  return measured;
}

function wholeItem({ source }: Entry, maxValueChars: number): ShownItem {
  const { entry } = source;
  switch (source.kind) {
    case 'user':
      return userItem(source.entry, source.content);
    case 'documents':
      return userItem(source.entry, documentsContent(source.content, source.name, source.entry));
    case 'memory':
      return userItem(source.entry, memoryContent(source.memory, maxValueChars));
    case 'assistant': {
      const { model, content, calls } = source;
      return { role: 'assistant', entry: source.entry, model, content, calls, state: 'whole' };
    }
    case 'result': {
      const { call, name, status, content } = source;
      return { role: 'tool', entry, call, name, status, content, state: 'whole' };
    }
  }
}

const userItem = (entry: number, content: readonly ContentPart[]): ShownItem => ({
  role: 'user',
  entry,
  content,
  state: 'whole',
  pinned: false,
});
