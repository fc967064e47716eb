import type { ViewEvent } from '#libs/domain';
import type { CompactionState, RecordedCompactions } from './compaction-state.js';
import type { RecordedBuild } from './recorded-build.js';
import type { RecordedCompaction } from './recorded-compaction.js';

export function recordCompaction(state: CompactionState): RecordedCompaction {
  const { live, lastEnded, modelFailures } = state;
  return {
    live:
      live === null
        ? null
        : {
            id: live.id,
            seq: live.appliedSeq,
            range: [...live.range],
            entries: [...live.entries],
            extractive: live.extractive,
          },
    open: state.allOpen.map(({ id, range: [from, to], reason, waitExpired }) => ({
      id,
      range: [from, to],
      reason,
      wait_expired: waitExpired,
    })),
    last_ended: lastEnded === null ? null : { ...lastEnded, range: [...lastEnded.range] },
    failures: state.failures,
    rolled_back: [...state.rolledBack],
    barred_digests: [...state.barredDigests],
    model_failures: { in_a_row: modelFailures.inARow, last_to: modelFailures.lastTo },
  };
}

/**
 * What the last build recorded, to fold on from. Null where all compaction events are needed: there is no such record, or
 * one was rolled back since, so that a summary under the live one is shown again.
 * @param events in order of seq; the live summary's event is among them.
 */
export function recordedCompactions(
  last: RecordedBuild | null,
  events: readonly ViewEvent[],
): RecordedCompactions | null {
  const state = last?.base.compaction;
  if (last === null || state === undefined || isRolledBackSince(events, last.uptoSeq)) return null;
  const { live } = state;
  if (live === null) return { uptoSeq: last.uptoSeq, state, summary: '' };
  const event = events.find(({ seq }) => seq === live.seq);
  return event?.type === 'ContextCompacted' ? { uptoSeq: last.uptoSeq, state, summary: event.data.summary } : null;
}

export function isRolledBackSince(events: readonly ViewEvent[], seq: number): boolean {
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined || event.seq <= seq) return false;
    if (event.type === 'CompactionRolledBack') return true;
  }
  return false;
}
