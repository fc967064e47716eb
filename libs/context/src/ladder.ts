import type { Draft } from './draft.js';
import { withoutOldReasoning } from './frontier.js';
import type { ModelFacts } from './neutral.js';
import { isObservation, SHORTEN_OVER_CHARS, SHORTENED_CHARS, shortened } from './stages/shorten.js';
import type { Cell, Marks } from './stages/stage.js';
import type { View } from './view/read-view.js';

/**
 * The rungs of the ladder that need no summary: observations over 2,000 chars to head and tail, largest first, as far as
 * needed; then older reasoning. `over` says by how many chars a draft is too large (≤ 0: it fits).
 */
export function descend(
  draft: Draft,
  view: View,
  model: ModelFacts,
  redraft: (marks: Marks) => Draft,
  over: (draft: Draft) => number,
): Draft {
  if (over(draft) <= 0) return draft;
  const shorter = shortenLargest(draft, view, model, over(draft));
  const first = shorter === null ? draft : redraft(shorter);
  if (over(first) <= 0) return first;
  const bare = withoutOldReasoning(first.marks, view);
  return bare === first.marks ? first : redraft(bare);
}

function shortenLargest(draft: Draft, view: View, model: ModelFacts, excess: number): Marks | null {
  const candidates = draft.cells
    .filter((cell) => isObservation(cell) && isCuttable(cell) && charsOf(cell) > SHORTEN_OVER_CHARS)
    .sort((a, b) => charsOf(b) - charsOf(a));
  let left = excess;
  let least: number | null = null;
  for (const cell of candidates) {
    if (left <= 0 && charsOf(cell) !== least) break;
    const saved = cell.state === 'whole' ? savedBy(cell, model) : charsOf(cell) - SHORTENED_CHARS;
    if (saved === null) continue;
    left -= saved;
    least = charsOf(cell);
  }
  if (least === null) return null;
  const newest = view.entries.reduce(
    (most, { source }) => Math.max(most, source.kind === 'result' ? source.call.entry : source.entry),
    0,
  );
  const { shortening } = draft.marks;
  return { ...draft.marks, shortening: { minChars: Math.min(least, shortening?.minChars ?? least), to: newest } };
}

/** One that was cut to the cap of a single observation can be cut further; its text as it came is not at hand here. */
const isCuttable = ({ state }: Cell): boolean => state === 'whole' || state === 'shortened';

function savedBy(cell: Cell, model: ModelFacts): number | null {
  const short = shortened(cell, { model });
  return short === null ? null : charsOf(cell) - charsOf(short);
}

const charsOf = (cell: Cell): number => cell.shown?.chars ?? 0;
