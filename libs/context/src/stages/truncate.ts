import { changeCells, leaveOut, placeOf, type Stage } from './stage.js';

/**
 * Whole turns up to `truncatedTo` are left out (`context.budget`, and the last rung of the ladder); a user message goes with
 * the last turn of its exchange.
 */
export const truncate: Stage = {
  name: 'truncate',
  apply(input, knobs) {
    const to = knobs.marks.truncatedTo;
    if (to === 0) return { view: input, removed: 0 };
    const going = new Set(input.view.turns.filter(({ answer }) => answer.entry > to).map(({ exchange }) => exchange));
    return changeCells(input, (cell) => {
      if (cell.shown === null || placeOf(cell) > to) return null;
      const { source, exchange } = cell.entry;
      return source.kind === 'user' && going.has(exchange) ? null : leaveOut(cell, 'truncated', knobs);
    });
  },
};
