import type { StoredEvent } from '#libs/domain';
import type { ViewSpec } from './build-result.js';
import { factsKey } from './frontier.js';
import type { ModelFacts } from './neutral.js';
import { compactionState } from './view/compaction-state.js';
import { readRecordedBuild } from './view/recorded-build.js';
import { viewKey } from './view/view-key.js';

/** Which events a build needs: all from `fromSeq`, the single older ones in `alsoSeqs`, and every compaction event of the sub-stream. */
export type NeededEvents = { readonly fromSeq: number; readonly alsoSeqs: readonly number[] };

/**
 * What the next build of a view must be given, from its last `LlmCallStarted` and the compaction events of the sub-stream
 * (few, in order). Everything, where there was no build, or policy, model facts or a roll back make the frontier anew.
 */
export function neededEvents(
  lastCall: Extract<StoredEvent, { type: 'LlmCallStarted' }> | null,
  compactionEvents: readonly StoredEvent[],
  now: { readonly view: ViewSpec; readonly policyHash: string; readonly model: ModelFacts },
): NeededEvents {
  const all: NeededEvents = { fromSeq: 1, alsoSeqs: [] };
  const recorded = lastCall === null ? null : readRecordedBuild(lastCall);
  if (recorded === null || recorded.base.view !== viewKey(now.view)) return all;
  const { base } = recorded;
  const isSame = recorded.policyHash === now.policyHash && base.facts === factsKey(now.model);
  if (!isSame || base.rolled_back !== compactionState(compactionEvents, now.view).rolledBack.length) return all;
  return { fromSeq: Math.min(base.needs_from, recorded.seq), alsoSeqs: base.pinned_seqs };
}
