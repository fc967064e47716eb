import type { ContentPart } from '#libs/domain';
import { measureOnce } from '../measure/measured-item.js';
import { describePart } from '../shape/describe-part.js';
import { countCodePoints, cutEnd, cutStart } from '../shape/index.js';
import type { ShownItem } from '../view/entry.js';
import { documentsContent } from '../view/fence.js';
import { changeCells, placeOf, type Cell, type Knobs, type Stage } from './stage.js';

/** Observations longer than this may be shortened to a head and a tail (the ladder, design/context.md "Waiting"). */
export const SHORTEN_OVER_CHARS = 2_000;
const KEPT_CHARS = 800;
/** What an observation has at most when it is shortened: both ends and the line between them. */
export const SHORTENED_CHARS = 2 * KEPT_CHARS + 100;

export const isObservation = (cell: Cell): boolean =>
  cell.entry.source.kind === 'result' || cell.entry.source.kind === 'documents';

/** Of an observation that is alone larger than the soft cap this share of the cap is shown of each end. */
const CAPPED_SHARE = 1 / 8;

/**
 * What the ladder shortened stays so: observations of at least `minChars` up to entry `to`. And whatever the size of the
 * request, one observation does not fill it alone: no summary could help, since the newest turns are never summarised.
 */
export const shorten: Stage = {
  name: 'shorten',
  apply(input, knobs) {
    if (knobs.marks.shortening === null && knobs.policy.window === null) return { view: input, removed: 0 };
    return changeCells(input, (cell) => shortenedObservation(cell, knobs));
  },
};

/** The cell as this stage shows it; null: as it is. */
export function shortenedObservation(cell: Cell, knobs: Knobs): Cell | null {
  if (!isObservation(cell) || cell.state !== 'whole') return null;
  const { shortening } = knobs.marks;
  const cap = knobs.policy.window?.soft_cap_chars ?? null;
  const chars = cell.shown?.chars ?? 0;
  const isCut = shortening !== null && placeOf(cell) <= shortening.to && chars >= shortening.minChars;
  const byLadder = isCut ? shortened(cell, knobs) : null;
  return shorterOf(byLadder, cap === null || chars <= cap ? null : capped(cell, cap, knobs));
}

/** Under a small cap its own two ends are shorter than those of the ladder, which must not lengthen them. */
const shorterOf = (one: Cell | null, other: Cell | null): Cell | null =>
  one === null || (other !== null && (other.shown?.chars ?? 0) <= (one.shown?.chars ?? 0)) ? other : one;

/** The cell with head and tail of its observation; null when that is not shorter. */
export const shortened = (cell: Cell, knobs: Pick<Knobs, 'model'>): Cell | null =>
  cut(cell, { keptChars: KEPT_CHARS, variant: 'shortened', of: '' }, knobs);

/** Names the entry, so that the rest can be read with `read_tool_result`. Images do not count: they are not text to cut. */
function capped(cell: Cell, capChars: number, knobs: Knobs): Cell | null {
  const { source } = cell.entry;
  if (source.kind !== 'result' && source.kind !== 'documents') return null;
  if (countCodePoints(source.content.map(textOf).join('\n')) <= capChars) return null;
  const keptChars = Math.floor(capChars * CAPPED_SHARE);
  return cut(cell, { keptChars, variant: `capped:${keptChars}`, of: ` of #${source.entry}` }, knobs);
}

type Cut = { keptChars: number; variant: string; of: string };

function cut(cell: Cell, { keptChars, variant, of }: Cut, knobs: Pick<Knobs, 'model'>): Cell | null {
  const item = cell.shown?.item;
  if (item === undefined || item.role === 'assistant') return null;
  const shown = measureOnce(cell.forms, variant, knobs.model, (): ShownItem => ({
    ...item,
    content: ends(cell, item.content, keptChars, of),
    state: 'shortened',
  }));
  return shown === null || shown.chars >= (cell.shown?.chars ?? 0) ? null : { ...cell, state: 'shortened', shown };
}

/** Documents are cut before they are fenced: a cut through fences of several texts would let what is between them out. */
function ends(
  { entry: { source } }: Cell,
  content: readonly ContentPart[],
  keptChars: number,
  of: string,
): ContentPart[] {
  if (source.kind !== 'documents') return headAndTail(content, keptChars, of);
  const fenced = (chars: number): ContentPart[] =>
    documentsContent(headAndTail(source.content, chars, of), source.name, source.entry);
  // As short as a result with the same ends: heading and fence are taken from them.
  const around = charsOf(fenced(keptChars)) - charsOf(headAndTail(source.content, keptChars, of));
  return fenced(Math.max(0, keptChars - Math.ceil(around / 2)));
}

const charsOf = (content: readonly ContentPart[]): number => countCodePoints(content.map(textOf).join('\n'));

function headAndTail(content: readonly ContentPart[], keptChars: number, of: string): ContentPart[] {
  const text = content.map(textOf).join('\n');
  const head = cutStart(text, keptChars);
  const tail = cutEnd(text, keptChars);
  const left = countCodePoints(text) - countCodePoints(head) - countCodePoints(tail);
  return [{ type: 'text', text: left <= 0 ? text : `${head}\n[… ${left} chars${of} left out …]\n${tail}` }];
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
