import type { CompactionProposal } from './build-result.js';
import type { EffectivePolicy } from './policy/index.js';
import type { Cell } from './stages/stage.js';
import { BREAKER_FAILURES, measuredRanges } from './view/compaction-state.js';
import { summaryFenceChars } from './view/fence.js';
import type { View } from './view/read-view.js';
import { viewCutoff, viewRunId } from './view/view-key.js';

/** A summary shorter than this says nothing. */
const LEAST_SUMMARY_CHARS = 60;
const SUMMARY_SHARE = 0.2;
/** A range that was not compacted, or did not help, is proposed again once it has grown by this many turns. */
const LEAST_GROWTH_TURNS = 4;
const LEAST_GROWTH_SHARE = 0.25;

export type ProposalFacts = {
  readonly view: View;
  readonly cells: readonly Cell[];
  readonly policy: EffectivePolicy;
  /** What a range may not reach, in entries: turns up to it are left out and count as covered. */
  readonly leftBehind: number;
  /** Effective, in chars; without a `window` what the budget or the model leaves. Null: unbounded. */
  readonly soft: number | null;
  /** The range that `window` asks for: its size is over a cap. */
  readonly isWindowAsking: boolean;
  /** The range that `budget` asks for: all exchanges before this one. Null: it is within its bounds. */
  readonly firstKeptExchange: number | null;
  /** The request now, and how much of it is the summary. */
  readonly size: number;
  readonly summaryChars: number;
  readonly protectedEntries: ReadonlySet<number>;
  readonly runActive: boolean;
  readonly reason: CompactionProposal['reason'];
  /**
   * `urgent`: over the hard cap, any growth will do. `extractive`: the ladder; as urgent, and failures of models do not count.
   * `requested`: by an admin; whatever became of the last one, and as much as may be summarised.
   */
  readonly need: 'normal' | 'urgent' | 'extractive' | 'requested';
};

/** The end of a range after some turn: `count` turns of the view are in it. */
type Cut = {
  readonly count: number;
  /** Of its last turn. */
  readonly exchange: number;
  readonly hi: number;
  readonly entryHi: number;
  readonly shown: number;
  readonly original: number;
};

/**
 * The oldest turns (design/context.md "soft_cap_chars", "budget", "Combined sections"). Null: nothing to propose. One proposal
 * a build: where `window` and `budget` both ask for a range, the larger one.
 */
export function proposeCompaction(facts: ProposalFacts): CompactionProposal | null {
  if (facts.need === 'normal' && !hasNewTurn(facts.view)) return null;
  const chosen = chosenCut(facts);
  const sizes = chosen === null ? null : projection(facts, chosen);
  if (chosen === null || sizes === null) return null;
  return {
    range: [viewCutoff(facts.view.spec) + 1, chosen.hi],
    entries: [firstEntry(facts.view), chosen.entryHi],
    supersedes: facts.view.compaction.live?.id ?? null,
    reason: facts.need === 'extractive' ? 'ladder' : facts.reason,
    viewRunId: viewRunId(facts.view.spec),
    cutoffSeq: viewCutoff(facts.view.spec),
    maxSummaryChars: sizes.maxSummaryChars,
    charsBefore: chosen.shown + facts.summaryChars,
    projectedChars: sizes.projected,
  };
}

function chosenCut(facts: ProposalFacts): Cut | null {
  const { need, firstKeptExchange } = facts;
  const cuts = allowedCuts(facts).filter((cut) => projection(facts, cut) !== null);
  const beforeKept = cuts.filter(({ exchange }) => firstKeptExchange !== null && exchange < firstKeptExchange);
  if (need === 'requested') return (facts.policy.window === null ? beforeKept : cuts).at(-1) ?? null;
  const least = leastCount(facts);
  const byBudget = beforeKept.findLast(({ count }) => count >= least) ?? null;
  const byWindow = facts.isWindowAsking ? windowCut(facts, cuts, least) : null;
  return (byBudget?.count ?? 0) > (byWindow?.count ?? 0) ? byBudget : byWindow;
}

/** As many turns as bring the projected size to target × soft; as many as are allowed where that is out of reach. */
function windowCut(facts: ProposalFacts, cuts: readonly Cut[], least: number): Cut | null {
  const projected = (cut: Cut): number => projection(facts, cut)?.projected ?? Infinity;
  const target = facts.policy.compaction.target_ratio * (facts.soft ?? 0);
  const enough = cuts.filter(({ count }) => count >= least);
  const cut = enough.find((one) => projected(one) <= target) ?? enough.at(-1) ?? null;
  const isPointless =
    cut !== null && facts.need === 'normal' && projected(cut) > (facts.soft ?? 0) && !isWorthRepeating(facts, cut);
  return isPointless ? null : cut;
}

/** Law C14: nothing is proposed again before new turns came. */
function hasNewTurn(view: View): boolean {
  const { live } = view.compaction;
  return live === null || (view.turns.at(-1)?.answer.seq ?? 0) > live.appliedSeq;
}

export const firstEntry = (view: View): number => view.last?.base.first_entry ?? view.entries[0]?.source.entry ?? 1;

/** Size once the range is replaced by a summary of at most B chars; null when that gains nothing. */
function projection(facts: ProposalFacts, cut: Cut): { projected: number; maxSummaryChars: number } | null {
  const { compaction } = facts.policy;
  const bound = Math.min(
    compaction.max_summary_chars,
    Math.floor(SUMMARY_SHARE * cut.original),
    facts.soft === null ? Infinity : Math.floor((compaction.target_ratio * facts.soft) / 2),
  );
  const maxSummaryChars = bound - summaryFenceChars([firstEntry(facts.view), cut.entryHi]);
  const projected = facts.size - cut.shown - facts.summaryChars + bound;
  return maxSummaryChars < LEAST_SUMMARY_CHARS || projected >= facts.size ? null : { projected, maxSummaryChars };
}

/**
 * Every turn after which a range may end: behind the live summary, in front of the last `min_tail_turns`, never the open turn of
 * an active run, never through a turn (a result that came late, a user message that came between call and result).
 */
function allowedCuts(facts: ProposalFacts): Cut[] {
  const { view } = facts;
  const sums = turnSums(facts);
  const live = view.compaction.live?.range[1] ?? 0;
  const newest = view.turns.at(-1);
  const hasOpen = facts.runActive && newest?.open === true;
  const lastAllowed = Math.min(
    view.turnCount - (facts.policy.window?.min_tail_turns ?? 0),
    hasOpen ? view.turnCount - 1 : view.turnCount,
  );
  const cuts: Cut[] = [];
  const sum = { hi: 0, entryHi: 0, shown: 0, original: originalBefore(facts) };
  for (const [at, turn] of view.turns.entries()) {
    const own = sums[at];
    if (own === undefined || turn.index + 1 > lastAllowed) break;
    sum.hi = Math.max(sum.hi, own.lastSeq);
    sum.entryHi = Math.max(sum.entryHi, own.lastEntry);
    sum.shown += own.shown;
    sum.original += own.original;
    // Turns that are all left out gain nothing, and a build from a part of the history does not see them (law C11).
    const gains = sum.shown > 0 && turn.answer.entry > facts.leftBehind;
    if (gains && turn.answer.seq > live && sum.hi < own.firstSeqBehind)
      cuts.push({ count: turn.index + 1, exchange: turn.exchange, ...sum });
  }
  return cuts;
}

type TurnSum = {
  shown: number;
  original: number;
  lastSeq: number;
  lastEntry: number;
  firstSeq: number;
  firstSeqBehind: number;
};

function turnSums(facts: ProposalFacts): TurnSum[] {
  const { view } = facts;
  const sums = [...view.turns, null].map((): TurnSum => ({
    shown: 0,
    original: 0,
    lastSeq: 0,
    lastEntry: 0,
    firstSeq: Infinity,
    firstSeqBehind: Infinity,
  }));
  for (const cell of facts.cells) {
    const sum = sums[cell.entry.turn - view.turnsBefore];
    const { seq, entry, chars } = cell.entry.source;
    if (sum === undefined || cell.state === 'repaired_away' || isOfCallLeftBehind(cell, facts)) continue;
    const stays = cell.pinned || (entry !== null && facts.protectedEntries.has(entry));
    if (!stays) sum.shown += cell.shown?.chars ?? 0;
    if (seq === null || entry === null) continue;
    sum.original += chars;
    sum.lastSeq = Math.max(sum.lastSeq, seq);
    sum.lastEntry = Math.max(sum.lastEntry, entry);
    sum.firstSeq = Math.min(sum.firstSeq, seq);
  }
  let behind = Infinity;
  for (const sum of sums.toReversed()) {
    sum.firstSeqBehind = behind;
    behind = Math.min(behind, sum.firstSeq);
  }
  return sums;
}

/**
 * A result that came when its call had been left out already: it ends no range and counts nowhere, since a build from a part
 * of the history has no call for it (law C11).
 */
function isOfCallLeftBehind({ entry, shown }: Cell, { view, leftBehind }: ProposalFacts): boolean {
  const { source } = entry;
  if (source.kind !== 'result' || shown !== null || source.call.entry > leftBehind) return false;
  return (view.eventOf.get(source.call.entry)?.seq ?? 0) <= (view.last?.uptoSeq ?? 0);
}

/** Chars, as stored, of what lies in front of the events at hand. */
function originalBefore(facts: ProposalFacts): number {
  const { last } = facts.view;
  if (last === null) return 0;
  let known = last.base.original_chars;
  for (const cell of facts.cells) {
    const { seq, chars } = cell.entry.source;
    if (isOfCallLeftBehind(cell, facts)) continue;
    if (cell.state !== 'repaired_away' && seq !== null && seq <= last.uptoSeq) known -= chars;
  }
  return Math.max(0, known);
}

/** How many turns a range must hold at least, for what became of the last request. */
function leastCount(facts: ProposalFacts): number {
  const { lastEnded, failures } = facts.view.compaction;
  if (lastEnded === null || lastEnded.outcome === 'compacted') return 0;
  const before = turnsUpTo(facts.view, lastEnded.range[1]);
  if (facts.need === 'extractive')
    return lastEnded.reason === 'ladder' || lastEnded.outcome === 'rolled_back' ? before + 1 : 0;
  if (facts.need === 'requested') return 0;
  if (facts.need === 'urgent') return failures >= BREAKER_FAILURES ? Infinity : before + 1;
  const growth = Math.max(LEAST_GROWTH_TURNS, Math.ceil(LEAST_GROWTH_SHARE * before));
  return before + growth * 2 ** Math.min(4, Math.max(0, failures - 1));
}

/** A tail that is itself over the soft cap gets no summary per turn. */
function isWorthRepeating(facts: ProposalFacts, cut: Cut): boolean {
  const { live } = facts.view.compaction;
  return (
    live === null ||
    cut.count >=
      turnsUpTo(facts.view, live.range[1]) + Math.max(LEAST_GROWTH_TURNS, facts.policy.window?.min_tail_turns ?? 0)
  );
}

/** Turns of the view up to a seq; in front of the events at hand only ends of ranges are known. */
function turnsUpTo(view: View, seq: number): number {
  const isHere = view.turnsBefore === 0 || seq >= (view.turns[0]?.answer.seq ?? Infinity);
  if (!isHere) return view.last?.base.range_turns[String(seq)] ?? view.turnsBefore;
  return view.turnsBefore + view.turns.filter((turn) => turn.answer.seq <= seq).length;
}

/** Turns up to the end of each range that a later proposal is measured against. */
export function rangeTurns(view: View): { [seq: string]: number } {
  const ends = measuredRanges(view.compaction).map(({ range }) => range[1]);
  return Object.fromEntries(ends.map((seq) => [String(seq), turnsUpTo(view, seq)]));
}
