import type { Frontier } from '#libs/domain';
import type { ModelFacts } from './neutral.js';
import { textKey } from './measure/text-key.js';
import { canonicalJson } from '#libs/domain';
import type { WindowPolicy } from './policy/policy-schema.js';
import type { Cell, Marks } from './stages/stage.js';
import type { View } from './view/read-view.js';

/**
 * How far the boundaries of forget and mask may lie: between where they stood and where they would slide to. Positions are in
 * entries; the frontier only moves forward.
 */
export const NO_MARKS: Marks = {
  forgetTo: 0,
  maskTo: 0,
  elidedTo: 0,
  leftOutTo: 0,
  truncatedTo: 0,
  reasoningFrom: 0,
  shortening: null,
  staleChars: 0,
};

/**
 * Further calls that are expected, as a share of the calls so far: what has gone on for long goes on for longer. And how much
 * of what a move costs must have been read in vain before it. By measurement on the recorded sessions
 * (docs/adr/0018-when-the-mask-boundary-moves.md).
 */
const LEAST_EXPECTED_FRACTION = 0.07;
const FRACTION_PER_CALL = 0.0003;
const GREATEST_EXPECTED_FRACTION = 0.2;
const LEAST_WAITED = 0.7;

const expectedCalls = (calls: number): number =>
  calls * Math.min(GREATEST_EXPECTED_FRACTION, LEAST_EXPECTED_FRACTION + FRACTION_PER_CALL * calls);

/** Names the model facts that a frontier depends on. */
export function factsKey(model: ModelFacts): string {
  const found = knownFacts.get(model);
  if (found !== undefined) return found;
  const key = textKey(canonicalJson(model));
  knownFacts.set(model, key);
  return key;
}

const knownFacts = new WeakMap<ModelFacts, string>();

export type FrontierStart = {
  readonly marks: Marks;
  /** Nothing before it says where the frontier stands. */ readonly isAnew: boolean;
};

/** Where the last build of the view stood; anew when there is none or policy, model facts or a roll back changed what it rests on. */
export function frontierStart(view: View, policyHash: string, model: ModelFacts): FrontierStart {
  const { last } = view;
  const isSame =
    last !== null &&
    last.policyHash === policyHash &&
    last.base.facts === factsKey(model) &&
    last.base.rolled_back === view.compaction.rolledBack.length;
  if (!isSame) return { marks: covered(NO_MARKS, view), isAnew: true };
  const { shortening, stale_chars: staleChars } = last.base;
  const kept = shortening === null ? null : { minChars: shortening.min_chars, to: shortening.to };
  return { marks: covered({ ...marksOf(last.frontier), shortening: kept, staleChars }, view), isAnew: false };
}

export const marksOf = (frontier: Frontier): Marks => ({
  forgetTo: frontier.forget_to,
  maskTo: frontier.mask_to,
  elidedTo: frontier.elided_to,
  leftOutTo: frontier.left_out_to ?? 0,
  truncatedTo: frontier.truncated_to ?? 0,
  reasoningFrom: frontier.reasoning_from,
  shortening: null,
  staleChars: 0,
});

const BOUNDARIES = ['forgetTo', 'maskTo', 'elidedTo', 'leftOutTo', 'truncatedTo', 'reasoningFrom'] as const;

/** Whether the same is shown under both. */
export const showAlike = (a: Marks, b: Marks): boolean =>
  BOUNDARIES.every((boundary) => a[boundary] === b[boundary]) &&
  a.shortening?.minChars === b.shortening?.minChars &&
  a.shortening?.to === b.shortening?.to;

export const frontierOf = (marks: Marks, view: View): Frontier => ({
  forget_to: marks.forgetTo,
  mask_to: marks.maskTo,
  elided_to: marks.elidedTo,
  reasoning_from: marks.reasoningFrom,
  compaction_id: view.compaction.live?.id ?? null,
  ...(marks.leftOutTo === 0 ? {} : { left_out_to: marks.leftOutTo }),
  ...(marks.truncatedTo === 0 ? {} : { truncated_to: marks.truncatedTo }),
});

/** What lies at or before it is left out but for single entries, which stand in `base.pinned_seqs`. */
export const leftBehind = (marks: Marks, view: View): number =>
  Math.max(marks.forgetTo, marks.leftOutTo, marks.truncatedTo, view.compaction.live?.entries[1] ?? 0);

/** What a summary covers is behind every boundary, and what is forgotten is behind that of masking. */
function covered(marks: Marks, view: View): Marks {
  const summarised = view.compaction.live?.entries[1] ?? 0;
  const forgetTo = marks.forgetTo === 0 ? 0 : Math.max(marks.forgetTo, summarised);
  return { ...marks, forgetTo, maskTo: Math.max(marks.maskTo, forgetTo, summarised) };
}

/** The marks with the boundaries moved to keep `keptWhole` and `kept` turns, in steps of `step`; never back. */
export function movedMarks(start: Marks, view: View, window: WindowPolicy, step: number): Marks {
  const forgetTurns =
    window.forget_after_turns === null ? 0 : inSteps(view.turnCount - window.forget_after_turns, step);
  const maskTurns = inSteps(view.turnCount - window.observation_window, step);
  const behind = leftBehind(start, view);
  const forgetTo = Math.max(start.forgetTo, answerOfTurn(view, forgetTurns, behind));
  const maskTo = Math.max(start.maskTo, forgetTo, answerOfTurn(view, maskTurns, behind));
  const hasMoved = forgetTo !== start.forgetTo || maskTo !== start.maskTo;
  return hasMoved ? withoutOldReasoning({ ...start, forgetTo, maskTo, staleChars: 0 }, view) : start;
}

const inSteps = (turns: number, step: number): number => step * Math.floor(Math.max(0, turns) / step);

/** Entry of the answer of the nth turn of the view (from 1); 0 when it is left out anyway or in front of the events at hand. */
function answerOfTurn(view: View, nth: number, behind: number): number {
  const entry = view.turns[nth - 1 - view.turnsBefore]?.answer.entry ?? 0;
  return entry <= behind ? 0 : entry;
}

/**
 * Older reasoning is dropped when the prefix changes anyway: all of it in front of the current exchange. What is left out
 * anyway may not be at hand, and says nothing (law C11).
 */
export function withoutOldReasoning(marks: Marks, view: View): Marks {
  const behind = leftBehind(marks, view);
  const prompt =
    view.entries.findLast(({ source }) => source.kind === 'user' && source.entry > behind)?.source.entry ?? behind;
  return prompt > marks.reasoningFrom ? { ...marks, reasoningFrom: prompt } : marks;
}

/** What moving the boundaries frees in this request, and whether that is worth it. */
export type Move = { readonly freed: number; readonly pays: boolean };

/**
 * Whether rewriting the prompt behind the first changed entry is worth it: what stays behind it and was cached is written anew
 * once. The further calls that are expected must spare as much, and the calls since the boundaries moved last must have read
 * a good part of it in vain, so that a long session does not rewrite again and again. `before` and `after` are the same
 * entries, before and after the move from `from`.
 */
export function weighMove(
  before: readonly Cell[],
  after: readonly Cell[],
  from: Marks,
  view: View,
  model: ModelFacts,
): Move {
  const sentTo = view.last?.uptoSeq ?? 0;
  let freed = 0;
  let behind = 0;
  let hasChanged = false;
  let at = -1;
  for (const cell of after) {
    at += 1;
    const old = before[at]?.shown ?? null;
    hasChanged ||= old !== cell.shown;
    freed += (old?.chars ?? 0) - (cell.shown?.chars ?? 0);
    if (hasChanged && (cell.entry.source.seq ?? 0) <= sentTo) behind += cell.shown?.chars ?? 0;
  }
  const rewritten = (model.cacheWriteRatio - model.cacheReadRatio) * behind;
  const spared = freed * model.cacheReadRatio * expectedCalls(view.turnCount);
  const waited = from.staleChars * model.cacheReadRatio;
  return { freed, pays: hasChanged && spared >= rewritten && waited >= LEAST_WAITED * rewritten };
}
