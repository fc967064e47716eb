import type { KnownForms } from '../measure/measured-item.js';
import type { ModelFacts } from '../neutral.js';
import { leaveOut, type Cell, type Stage, type StageView } from './stage.js';
import { whole } from './whole.js';
import type { View } from '../view/read-view.js';

/** Every entry of the view, whole: what a build with repair only shows. */
export function everything(view: View, model: ModelFacts, maxValueChars: number, known: KnownForms): StageView {
  const formsOf = known.under(model);
  const cells = view.entries.map((entry): Cell => {
    const event = entry.source.entry === null ? undefined : view.eventOf.get(entry.source.entry);
    const forms = event === undefined ? null : formsOf(event);
    return { entry, forms, state: 'whole', pinned: false, shown: whole(entry, forms, model, maxValueChars) };
  });
  return { view, cells };
}

/** What the live compaction covers is summarised: by seq, so what was stored later is whole (a late result of a summarised call has no call to stand behind). */
export const select: Stage = {
  name: 'select',
  apply(input, knobs) {
    const live = input.view.compaction.live;
    if (live === null) return { view: input, removed: input.view.excluded.length };
    const [from, to] = live.range;
    let removed = input.view.excluded.length;
    const cells = input.cells.map((cell) => {
      const { source } = cell.entry;
      const place = source.kind === 'result' ? answerSeq(input, source.call.entry) : source.seq;
      if (place < from || place > to) return cell;
      removed += 1;
      const isLate = source.kind === 'result' && source.seq !== null && source.seq > to;
      return leaveOut(cell, isLate ? 'repaired_away' : 'summarised', knobs);
    });
    return { view: { view: input.view, cells }, removed };
  },
};

const answerSeq = (input: StageView, entry: number): number => input.view.eventOf.get(entry)?.seq ?? 0;
