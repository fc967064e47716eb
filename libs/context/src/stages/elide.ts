import { changeCells, leaveOut, placeOf, type Cell, type Stage } from './stage.js';

/**
 * Older blocks (`context.blocks`): up to `elidedTo` only user messages and final answers stay, up to `leftOutTo` nothing
 * does. No placeholder stands for what is left out.
 */
export const elide: Stage = {
  name: 'elide',
  apply(input, knobs) {
    const { elidedTo, leftOutTo } = knobs.marks;
    if (elidedTo === 0) return { view: input, removed: 0 };
    return changeCells(input, (cell) => {
      if (cell.shown === null || placeOf(cell) > elidedTo) return null;
      return placeOf(cell) > leftOutTo && isOutline(cell) ? null : leaveOut(cell, 'elided', knobs);
    });
  },
};

/** What stays of an older block: its user messages and its final answer. */
export const isOutline = (cell: Cell): boolean => cell.entry.source.kind === 'user' || isFinalAnswer(cell);

/** An answer without calls completes its block. */
export const isFinalAnswer = ({ entry: { source } }: Cell): boolean =>
  source.kind === 'assistant' && source.calls.length === 0;
