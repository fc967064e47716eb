import { changeCells, leaveOut, placeOf, type Cell, type Stage, type StageView } from './stage.js';

/**
 * Turns and what leads to them, up to the frontier, are left out without a placeholder; the user message that prompted the
 * first kept turn stays.
 */
export const forget: Stage = {
  name: 'forget',
  apply(input, knobs) {
    const to = knobs.marks.forgetTo;
    if (to === 0) return { view: input, removed: 0 };
    const prompt = promptOfFirstKept(input, to);
    return changeCells(input, (cell) => {
      if (cell.shown === null || cell.pinned || placeOf(cell) > to) return null;
      return cell === prompt ? { ...cell, pinned: true } : leaveOut(cell, 'forgotten', knobs);
    });
  },
};

/** The last user message before the first kept answer, if it stands in the part that is forgotten. */
function promptOfFirstKept(input: StageView, to: number): Cell | null {
  let prompt: Cell | null = null;
  for (const cell of input.cells) {
    const { source } = cell.entry;
    if (source.kind === 'assistant' && source.entry > to) break;
    if (source.kind === 'user' && cell.shown !== null && !source.injected) prompt = cell;
  }
  return prompt;
}
