import type { EventType, ViewEvent } from '#libs/domain';
import type { ViewSpec } from './build-result.js';
import { factsKey } from './frontier.js';
import type { ModelFacts } from './neutral.js';
import { compactionState, measuredRanges, type CompactionState } from './view/compaction-state.js';
import { isRolledBackSince } from './view/record-compaction.js';
import type { RecordedBase, RecordedBuild } from './view/recorded-build.js';
import { viewCutoff, viewKey } from './view/view-key.js';

/** All that `compactionState` reads. */
export const COMPACTION_EVENTS = [
  'CompactionRequested',
  'ContextCompacted',
  'CompactionSkipped',
  'CompactionDiscarded',
  'CompactionFailed',
  'CompactionRolledBack',
  'CompactionWaitExpired',
] as const satisfies readonly EventType[];

/** All that a build reads beside the last `LlmCallStarted` of its view; the rest of a sub-stream is for others. */
export const BUILD_EVENTS = [
  'UserMessageReceived',
  'DocumentsProvided',
  'MemoryShown',
  'LlmCallCompleted',
  'LlmCallFailed',
  'ToolCallCompleted',
  'ConversationInterrupted',
  'RunCancelled',
  ...COMPACTION_EVENTS,
] as const satisfies readonly EventType[];

/**
 * Which events a build needs: all from `fromSeq` and the single older ones in `alsoSeqs`. `isAnew`: its frontier begins anew, so
 * that what was masked is shown.
 */
export type NeededEvents = { readonly fromSeq: number; readonly alsoSeqs: readonly number[]; readonly isAnew: boolean };

/** What the next build of a view is made with. */
export type NextBuild = { readonly view: ViewSpec; readonly policyHash: string; readonly model: ModelFacts };

/**
 * Whether all compaction events of the view must be known, and not only those since the last build: it recorded none, or one
 * was rolled back since. `since`: the events after the last build's `upto_seq`, in order of seq.
 */
export const needsAllCompactions = (last: RecordedBuild | null, since: readonly ViewEvent[]): boolean =>
  last?.base.compaction === undefined || isRolledBackSince(since, last.uptoSeq);

/**
 * What the next build of a view must be given, from what its last build recorded and the compaction events since (all of
 * the view, where `needsAllCompactions`). While nothing changes the frontier that is what is shown. Where policy, model facts
 * or a roll back make the frontier anew, it is all behind the live summary, since each of it may be shown again.
 */
export function neededEvents(
  last: RecordedBuild | null,
  compactionEvents: readonly ViewEvent[],
  { view, policyHash, model }: NextBuild,
): NeededEvents {
  const begin = viewCutoff(view) + 1;
  if (last === null || last.base.view !== viewKey(view)) return { fromSeq: begin, alsoSeqs: [], isAnew: true };
  const { base } = last;
  const state =
    base.compaction === undefined || needsAllCompactions(last, compactionEvents)
      ? null
      : { uptoSeq: last.uptoSeq, state: base.compaction, summary: UNREAD };
  const compaction = compactionState(compactionEvents, view, state);
  const { live, rolledBack } = compaction;
  const isSame =
    last.policyHash === policyHash && base.facts === factsKey(model) && base.rolled_back === rolledBack.length;
  const shown = Math.min(base.needs_from, last.seq);
  const summaries = [base.compaction?.live?.seq, live?.appliedSeq].filter((seq) => seq !== undefined);
  const fromSeq = isSame ? shown : Math.min(shown, live === null ? begin : live.range[1] + 1);
  return {
    fromSeq: Math.min(fromSeq, ...uncountedEnds(base, compaction).map((end) => end + 1)),
    alsoSeqs: [...new Set([...base.pinned_seqs, ...summaries])],
    isAnew: !isSame,
  };
}

/** Ends of ranges that the last build did not know: asked for under another policy, for turns that this one had left out. */
const uncountedEnds = ({ range_turns: counted }: RecordedBase, compaction: CompactionState): number[] =>
  measuredRanges(compaction).flatMap(({ range: [, end] }) => (counted[String(end)] === undefined ? [end] : []));

/** Only the places of summaries matter here. */
const UNREAD = 'not read';
