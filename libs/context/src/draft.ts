import { layOut, type Layout, type LayoutParts } from './layout.js';
import { stages } from './stages/index.js';
import { cellsChars, type Cell, type Knobs, type Marks, type StageView } from './stages/stage.js';

/** What a stage did, for the report. */
export type StageRecord = {
  readonly stage: string;
  readonly removed: number;
  readonly charsBefore: number;
  readonly charsAfter: number;
};

/** The outcome of the stages under some marks: a request that is not yet in its format. */
export type Draft = {
  readonly marks: Marks;
  readonly protectedEntries: ReadonlySet<number>;
  readonly cells: readonly Cell[];
  readonly layout: Layout;
  readonly records: readonly StageRecord[];
};

export function draftUnder(marks: Marks, base: StageView, knobs: Omit<Knobs, 'marks'>, parts: LayoutParts): Draft {
  const records: StageRecord[] = [];
  let current = base;
  let chars = cellsChars(base.cells);
  for (const stage of stages) {
    const { view, removed } = stage.apply(current, { ...knobs, marks });
    const after = view.cells === current.cells ? chars : cellsChars(view.cells);
    records.push({ stage: stage.name, removed, charsBefore: chars, charsAfter: after });
    current = view;
    chars = after;
  }
  const { protectedEntries } = knobs;
  return { marks, protectedEntries, cells: current.cells, layout: layOut(current.cells, parts), records };
}
