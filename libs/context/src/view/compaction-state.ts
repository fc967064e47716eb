import type { ViewEvent } from '#libs/domain';
import type { ViewSpec } from '../build-result.js';
import { isBlank } from '../shape/index.js';
import type { RecordedCompaction } from './recorded-compaction.js';
import { viewCutoff, viewRunId } from './view-key.js';

type Range = readonly [number, number];

/** The summary that a view shows. `range` in seqs, `entries` in entries, inclusive; `appliedSeq` is that of its event. */
export type LiveCompaction = {
  readonly id: string;
  readonly appliedSeq: number;
  readonly range: Range;
  readonly entries: Range;
  readonly summary: string;
  readonly extractive: boolean;
};
export type OpenCompaction = {
  readonly id: string;
  readonly range: Range;
  readonly reason: string;
  readonly waitExpired: boolean;
};
export type EndedCompaction = {
  readonly id: string;
  readonly range: Range;
  readonly reason: string;
  readonly outcome: 'compacted' | 'skipped' | 'discarded' | 'failed' | 'rolled_back';
};

/** What the events say about the compactions of one view. */
export type CompactionState = {
  readonly live: LiveCompaction | null;
  /** Those that were applied and not rolled back, oldest first, as far as they were folded; the last one is live. */
  readonly applied: readonly LiveCompaction[];
  /** The newest request that has not ended. The ladder's own ends at once, beside one that is still under way. */
  readonly open: OpenCompaction | null;
  /** All requests that have not ended, oldest first. */
  readonly allOpen: readonly OpenCompaction[];
  /** The request that ended last; a rolled back compaction counts as one that was not applied. */
  readonly lastEnded: EndedCompaction | null;
  /** `CompactionFailed` in a row since one was applied: back-off in turns, and the breaker from `BREAKER_FAILURES` on. */
  readonly failures: number;
  readonly rolledBack: readonly string[];
  /** Source digests of those rolled back: their ranges are not summarised again as they are. */
  readonly barredDigests: readonly string[];
  /** Requests in a row in which models were asked and none gave a usable summary; back-off and breaker of paid calls. */
  readonly modelFailures: ModelFailures;
};

/** `lastTo`: the seq at which the range of the last such request ends, null for none. */
export type ModelFailures = { readonly inARow: number; readonly lastTo: number | null };

export const BREAKER_FAILURES = 3;

type Fold = {
  /** Goes on from a record, which names open requests and no ended ones but the last. */
  isRecorded: boolean;
  requests: Map<string, { range: Range; reason: string }>;
  applied: LiveCompaction[];
  /** Those whose summary came, shown or not. */
  compacted: Set<string>;
  open: OpenCompaction[];
  lastEnded: EndedCompaction | null;
  failures: number;
  rolledBack: string[];
  barredDigests: string[];
  modelFailures: ModelFailures;
};

/**
 * Folds the compaction events of a view; those of other views are ignored. `events` in order of seq. With `recorded` (what a
 * build has left of the events up to its own) only those after it are folded. That leaves the summaries under the live one
 * out, which is all that a roll back could show again: see `recordedCompactions`.
 */
export function compactionState(
  events: readonly ViewEvent[],
  spec: ViewSpec,
  recorded: RecordedCompactions | null = null,
): CompactionState {
  const fold = recorded === null ? emptyFold() : foldOf(recorded);
  for (const event of events) if (event.seq > (recorded?.uptoSeq ?? 0)) foldEvent(fold, event, spec);
  const { applied, open, lastEnded, failures, rolledBack, barredDigests, modelFailures } = fold;
  const state = { applied, lastEnded, failures, rolledBack, barredDigests, modelFailures };
  return { ...state, live: applied.at(-1) ?? null, open: open.at(-1) ?? null, allOpen: open };
}

/** What a build recorded of the compactions up to `uptoSeq`, with the text of the summary that was live. */
export type RecordedCompactions = {
  readonly uptoSeq: number;
  readonly state: RecordedCompaction;
  readonly summary: string;
};

const emptyFold = (): Fold => ({
  isRecorded: false,
  requests: new Map(),
  compacted: new Set(),
  applied: [],
  open: [],
  lastEnded: null,
  failures: 0,
  rolledBack: [],
  barredDigests: [],
  modelFailures: { inARow: 0, lastTo: null },
});

function foldOf({ state, summary }: RecordedCompactions): Fold {
  const { live, last_ended: ended, model_failures: models } = state;
  const open = state.open.map(({ id, range, reason, wait_expired: waitExpired }) => ({
    id,
    range,
    reason,
    waitExpired,
  }));
  return {
    isRecorded: true,
    requests: new Map(open.map(({ id, range, reason }) => [id, { range, reason }])),
    compacted: new Set([...(live === null ? [] : [live.id]), ...state.rolled_back]),
    applied:
      live === null
        ? []
        : [
            {
              id: live.id,
              appliedSeq: live.seq,
              range: live.range,
              entries: live.entries,
              summary,
              extractive: live.extractive,
            },
          ],
    open,
    lastEnded: ended,
    failures: state.failures,
    rolledBack: [...state.rolled_back],
    barredDigests: [...state.barred_digests],
    modelFailures: { inARow: models.in_a_row, lastTo: models.last_to },
  };
}

function foldEvent(fold: Fold, event: ViewEvent, spec: ViewSpec): void {
  if (event.type === 'CompactionRequested') {
    if (!isOfView(event.data, spec)) return;
    const { compaction_id: id, range, reason } = event.data;
    if (!fold.requests.has(id)) fold.open.push({ id, range, reason, waitExpired: false });
    fold.requests.set(id, { range, reason });
  } else if (event.type === 'ContextCompacted') {
    if (isOfView(event.data, spec)) apply(fold, event);
  } else if (event.type === 'CompactionSkipped') {
    if (end(fold, event.data.compaction_id, 'skipped')) countModels(fold, event.data);
  } else if (event.type === 'CompactionDiscarded') {
    if (end(fold, event.data.compaction_id, 'discarded')) countModels(fold, event.data);
  } else if (event.type === 'CompactionFailed') {
    if (!end(fold, event.data.compaction_id, 'failed')) return;
    fold.failures += 1;
    countModels(fold, event.data);
  } else if (event.type === 'CompactionWaitExpired') {
    const { compaction_id: id } = event.data;
    fold.open = fold.open.map((one) => (one.id === id ? { ...one, waitExpired: true } : one));
  } else if (event.type === 'CompactionRolledBack') {
    rollBack(fold, event.data);
  }
}

/** Appending one twice changes nothing (law C9); one that does not nest around the live one, or says nothing, is not shown. */
function apply(fold: Fold, { seq, data }: Extract<ViewEvent, { type: 'ContextCompacted' }>): void {
  const { compaction_id: id, replaces_seq_range: range, entries, summary, extractive } = data;
  if (fold.compacted.has(id)) return;
  const live = fold.applied.at(-1);
  const isShown = !isBlank(summary) && (live === undefined || nests(range, live.range));
  // A record knows no ended ones but the last: this one had ended in front of it.
  if (!isShown && fold.isRecorded && !fold.requests.has(id)) return;
  fold.compacted.add(id);
  const reason = fold.requests.get(id)?.reason ?? '';
  fold.open = fold.open.filter((one) => one.id !== id);
  fold.lastEnded = { id, range, reason, outcome: 'compacted' };
  if (extractive) countModels(fold, data);
  else fold.modelFailures = { inARow: 0, lastTo: null };
  if (!isShown) return;
  fold.applied.push({ id, appliedSeq: seq, range, entries, summary, extractive });
  fold.failures = 0;
}

/** Those that a later proposal is measured against: builds know how many turns end with each of them. */
export const measuredRanges = ({ live, allOpen, lastEnded }: CompactionState): { readonly range: Range }[] =>
  [live, ...allOpen, lastEnded].filter((one) => one !== null);

/** The newer one begins no later and ends no earlier. */
export const nests = (newer: Range, older: Range): boolean => newer[0] <= older[0] && newer[1] >= older[1];

function end(fold: Fold, id: string, outcome: EndedCompaction['outcome']): boolean {
  const request = fold.requests.get(id);
  if (request === undefined) return false;
  fold.open = fold.open.filter((one) => one.id !== id);
  fold.lastEnded = { id, ...request, outcome };
  return true;
}

/** One that no model was asked for (the breaker was open, or the policy names none) leaves the count as it is. */
function countModels(
  fold: Fold,
  data: { compaction_id: string; failed_models?: readonly unknown[] | undefined },
): void {
  if (data.failed_models === undefined || data.failed_models.length === 0) return;
  const { inARow } = fold.modelFailures;
  fold.modelFailures = {
    inARow: inARow + 1,
    lastTo: fold.requests.get(data.compaction_id)?.range[1] ?? fold.modelFailures.lastTo,
  };
}

function rollBack(
  fold: Fold,
  { compaction_id: id, source_digest: digest }: { compaction_id: string; source_digest: string },
): void {
  const at = fold.applied.findIndex((one) => one.id === id);
  const rolled = fold.applied[at];
  if (rolled === undefined) return;
  fold.rolledBack.push(id);
  fold.barredDigests.push(digest);
  fold.applied.splice(at, 1);
  fold.lastEnded = { id, range: rolled.range, reason: fold.requests.get(id)?.reason ?? '', outcome: 'rolled_back' };
}

function isOfView(data: { view_run_id: string | null; cutoff_seq: number }, spec: ViewSpec): boolean {
  return data.view_run_id === viewRunId(spec) && (spec.mode === 'inherit' || data.cutoff_seq === viewCutoff(spec));
}
