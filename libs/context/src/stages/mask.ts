import { measureOnce, type Measured } from '../measure/measured-item.js';
import type { ShownItem } from '../view/entry.js';
import { observationPlaceholder } from './placeholder.js';
import { shortenedObservation } from './shorten.js';
import { shortenArguments } from './shorten-arguments.js';
import { changeCells, placeOf, type Cell, type Knobs, type Stage } from './stage.js';

/**
 * Observations of turns up to the frontier become placeholders and long arguments are shortened. Never adds or removes a
 * message, never lengthens (law C13).
 */
export const mask: Stage = {
  name: 'mask',
  apply(input, knobs) {
    const to = knobs.marks.maskTo;
    if (to === 0) return { view: input, removed: 0 };
    return changeCells(input, (cell) =>
      cell.shown === null || cell.pinned || placeOf(cell) > to ? null : masked(cell, cell.shown, knobs),
    );
  },
};

function masked(cell: Cell, shown: Measured, knobs: Knobs): Cell | null {
  const { source } = cell.entry;
  if (source.entry === null || source.kind === 'user' || source.kind === 'memory') return null;
  const variant = shown.item.role === 'assistant' ? `masked:${shown.item.content.length}` : 'masked';
  const short = measureOnce(cell.forms, variant, knobs.model, () => maskedItem(cell, shown.item));
  if (short === null || short.chars >= shownOtherwise(cell, shown, knobs)) return null;
  return { ...cell, state: short.item.state, shown: short };
}

/**
 * What is not masked may still be cut to its two ends (`shorten`): a placeholder is not longer than that either. That of an
 * outline is shorter than any two ends.
 */
const shownOtherwise = (cell: Cell, shown: Measured, knobs: Knobs): number =>
  shown.isOutline ? shown.chars : (shortenedObservation(cell, knobs)?.shown?.chars ?? shown.chars);

function maskedItem(cell: Cell, item: ShownItem): ShownItem | null {
  const { source } = cell.entry;
  if (item.role === 'assistant') {
    const calls = item.calls.map((call) => ({ ...call, arguments: shortenArguments(call.arguments) }));
    return calls.every((call, at) => call.arguments === item.calls[at]?.arguments)
      ? null
      : { ...item, calls, state: 'shortened' };
  }
  if (source.kind !== 'result' && source.kind !== 'documents') return null;
  return { ...item, content: [{ type: 'text', text: observationPlaceholder(source) }], state: 'masked' };
}
