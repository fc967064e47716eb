import type { Advance } from '../advance/advance.js';
import type { JournalSize, StepRunRecord } from '../ports/run-records.port.js';
import { writeFailure } from '../settle-step.js';

/** `journal`: null where nobody asked. */
type Found = { stalls: number; journal: JournalSize | null };

/** A step that took down so many workers in a row without getting anywhere: a dead letter, with all that is known of it. */
export async function buryStep(advance: Advance, row: StepRunRecord, found: Found): Promise<void> {
  const { workerId, workerBytes, starts, attempt, startedAt } = row;
  const { stalls, journal } = found;
  const last = journal?.lastEvent ?? null;
  const failure = { kind: 'lease_expiries', detail: detailOf(row, found), retryAfterMs: null } as const;
  await writeFailure(advance, row, failure, {
    ...{ worker_id: workerId, worker_bytes: workerBytes, starts, stalls, attempt, started_at: startedAt },
    last_event: last === null ? null : { type: last.type, recorded_at: last.recordedAt },
    stored:
      journal === null ? null : { events: journal.events, bytes: journal.bytes, largest_bytes: journal.largestBytes },
  });
}

function detailOf({ workerId, workerBytes }: StepRunRecord, { stalls, journal }: Found): string {
  const weighed = workerBytes === null ? '' : `, ${sizeText(workerBytes)} of memory at its last sign of life`;
  return `the step's worker died or hung ${stalls} times in a row without getting any further (last worker ${workerId ?? 'unknown'}${weighed}; ${storedDetail(journal)}); look at what it does there, then redrive or discard it`;
}

function storedDetail(journal: JournalSize | null): string {
  if (journal?.lastEvent == null) return 'it left no event';
  const { events, bytes, largestBytes, lastEvent } = journal;
  return `last event ${lastEvent.type} at ${lastEvent.recordedAt}; ${events} events of it are stored, ${sizeText(bytes)}, the largest ${sizeText(largestBytes)}`;
}

function sizeText(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes.toFixed(1)} KiB` : `${(kibibytes / 1024).toFixed(1)} MiB`;
}
