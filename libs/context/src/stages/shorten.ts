import type { ContentPart } from '#libs/domain';
import { measureOnce } from '../measure/measured-item.js';
import { describePart } from '../shape/describe-part.js';
import { countCodePoints, cutEnd, cutStart } from '../shape/index.js';
import type { ShownItem } from '../view/entry.js';
import { changeCells, placeOf, type Cell, type Knobs, type Stage } from './stage.js';

/** Observations longer than this may be shortened to a head and a tail (the ladder, design/context.md "Waiting"). */
export const SHORTEN_OVER_CHARS = 2_000;
const KEPT_CHARS = 800;

export const isObservation = (cell: Cell): boolean =>
  cell.entry.source.kind === 'result' || cell.entry.source.kind === 'documents';

/** What the ladder shortened stays so: observations of at least `minChars` up to entry `to`. */
export const shorten: Stage = {
  name: 'shorten',
  apply(input, knobs) {
    const { shortening } = knobs.marks;
    if (shortening === null) return { view: input, removed: 0 };
    return changeCells(input, (cell) => {
      if (
        !isObservation(cell) ||
        cell.state !== 'whole' ||
        placeOf(cell) > shortening.to ||
        (cell.shown?.chars ?? 0) < shortening.minChars
      )
        return null;
      return shortened(cell, knobs);
    });
  },
};

/** The cell with head and tail of its observation; null when that is not shorter. */
export function shortened(cell: Cell, knobs: Pick<Knobs, 'model'>): Cell | null {
  const item = cell.shown?.item;
  if (item === undefined || item.role === 'assistant') return null;
  const shown = measureOnce(cell.event, 'shortened', knobs.model, (): ShownItem => ({
    ...item,
    content: headAndTail(item.content),
    state: 'shortened',
  }));
  return shown === null || shown.chars >= (cell.shown?.chars ?? 0) ? null : { ...cell, state: 'shortened', shown };
}

function headAndTail(content: readonly ContentPart[]): ContentPart[] {
  const text = content.map(textOf).join('\n');
  const head = cutStart(text, KEPT_CHARS);
  const tail = cutEnd(text, KEPT_CHARS);
  const left = countCodePoints(text) - countCodePoints(head) - countCodePoints(tail);
  return [{ type: 'text', text: left <= 0 ? text : `${head}\n[… ${left} chars left out …]\n${tail}` }];
}

function textOf(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'document':
      return describePart(part.type, part);
    case 'other':
      return '[part]';
  }
}
