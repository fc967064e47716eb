import { canonicalJson, type EventData, type JsonObject, type ViewEvent } from '#libs/domain';
import type { ViewSpec } from '../build-result.js';
import type { EffectivePolicy } from '../policy/index.js';
import { compactionState } from './compaction-state.js';
import { lastBuildOf } from './read-view.js';
import { recordedCompactions } from './record-compaction.js';
import { isInView } from './view-key.js';

/**
 * The `MemoryShown` to append at the start of a step with `placement: inline`: memory as of `memorySeq` when it differs from
 * what the view last showed, or when what it showed is no longer in sight. Null: nothing to append.
 */
export function nextMemoryEntry(
  events: readonly ViewEvent[],
  spec: ViewSpec,
  memory: JsonObject,
  memorySeq: number,
  policy: EffectivePolicy,
): EventData<'MemoryShown'> | null {
  if (policy.memory.placement !== 'inline') return null;
  const seen = events.filter((event) => isInView(spec, event));
  const shown = seen.findLast((event) => event.type === 'MemoryShown');
  const isVisible = shown?.entry != null && shown.entry > outOfSight(events, seen, spec);
  const before = isVisible && shown.type === 'MemoryShown' ? shown.data.memory : {};
  return canonicalJson(before) === canonicalJson(memory) ? null : { memory, memory_seq: memorySeq };
}

/** Entries up to this one are summarised, forgotten, elided or truncated. */
function outOfSight(events: readonly ViewEvent[], seen: readonly ViewEvent[], spec: ViewSpec): number {
  const last = lastBuildOf(seen, spec);
  const summarised = compactionState(events, spec, recordedCompactions(last, events)).live?.entries[1] ?? 0;
  if (last === null) return summarised;
  const { forget_to: forgotten, elided_to: elided, truncated_to: truncated = 0 } = last.frontier;
  return Math.max(summarised, forgotten, elided, truncated);
}
