import type { Forms, Measured } from '../measure/measured-item.js';
import type { ModelFacts } from '../neutral.js';
import type { EffectivePolicy } from '../policy/index.js';
import type { Entry, EntryState } from '../view/entry.js';
import type { View } from '../view/read-view.js';

/** One entry on its way through the stages. `shown` is null exactly when the state leaves it out. */
export type Cell = {
  readonly entry: Entry;
  /** What its event looks like in each form. Null: a result made up for an unanswered call. */
  readonly forms: Forms | null;
  readonly state: EntryState;
  /** Shown right after the summary, because its place is in a range that is left out. */
  readonly pinned: boolean;
  readonly shown: Measured | null;
};

/** How far each part of the frontier reaches, in entries; what is at or before it is treated so. 0: nothing. */
export type Marks = {
  readonly forgetTo: number;
  readonly maskTo: number;
  /** Blocks up to it keep user messages and final answers only, those up to `leftOutTo` nothing. */
  readonly elidedTo: number;
  readonly leftOutTo: number;
  /** Turns whose answer is at or before it are left out whole. */
  readonly truncatedTo: number;
  /** Reasoning of answers before this entry is left out. */
  readonly reasoningFrom: number;
  readonly shortening: { readonly minChars: number; readonly to: number } | null;
  /** Chars that sliding boundaries would have spared, summed over the calls since they moved last (`mask_batch_turns: auto`). */
  readonly staleChars: number;
};

export type Knobs = {
  readonly policy: EffectivePolicy;
  readonly model: ModelFacts;
  readonly marks: Marks;
  /** Entries of the current task and the last user message: never left out. */
  readonly protectedEntries: ReadonlySet<number>;
};

export type StageView = { readonly view: View; readonly cells: readonly Cell[] };

/** `removed`: entries whose state the stage changed. */
export type StageResult = { readonly view: StageView; readonly removed: number };
export type Stage = { readonly name: string; readonly apply: (view: StageView, knobs: Knobs) => StageResult };

/** Applies a change to each cell; null leaves it as it is. Every stage of every build comes by: no pairs of `entries()` are made. */
export function changeCells(view: StageView, change: (cell: Cell) => Cell | null): StageResult {
  let removed = 0;
  let cells: Cell[] | null = null;
  let at = -1;
  for (const cell of view.cells) {
    at += 1;
    const changed = change(cell);
    if (changed === null) continue;
    if (changed.state !== cell.state) removed += 1;
    cells ??= [...view.cells];
    cells[at] = changed;
  }
  return { view: cells === null ? view : { view: view.view, cells }, removed };
}

/** Leaves a cell out, or pins it when it must be shown. */
export function leaveOut(cell: Cell, state: EntryState, knobs: Knobs): Cell {
  const { entry } = cell.entry.source;
  if (entry !== null && knobs.protectedEntries.has(entry)) return { ...cell, pinned: true };
  return { ...cell, state, pinned: false, shown: null };
}

/** The entry whose place decides about a cell: a result goes with its answer. */
export const placeOf = (cell: Cell): number =>
  cell.entry.source.kind === 'result' ? cell.entry.source.call.entry : cell.entry.source.entry;

export function cellsChars(cells: readonly Cell[]): number {
  let sum = 0;
  for (const cell of cells) sum += cell.shown?.chars ?? 0;
  return sum;
}
