import type { NewEvent } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { newEvent } from '../new-event.js';
import type {
  CompactionAttempt,
  CompactionPatch,
  CompactionRecord,
  NewCompaction,
} from '../ports/compaction-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { compactionEnd, type CompactionEnd } from './compaction-end.js';
import { readRange } from './read-source.js';
import { totalSpent } from './spent.js';
import { MAX_ATTEMPTS, type Settled } from './summarise.js';
import { wakeWaiters } from './wake-waiters.js';

const RETRY_DELAY_MS = 2_000;

type Settling = {
  record: CompactionRecord;
  result: Settled;
};

/**
 * Ends a claimed compaction: exactly one of the four events, or another attempt. The range is checked again under the
 * stream's lock, so what happened meanwhile is seen. Steps that wait for it are woken after the commit.
 */
export async function settleCompaction(deps: EngineDeps, settling: Settling): Promise<void> {
  const { record } = settling;
  const ended = await deps.runs.transact(async (tx) => {
    const locked = await tx.lockCompaction(record.projectId, record.compactionId);
    if (locked === null || locked.fence !== record.fence || locked.status !== 'running') return false;
    await tx.lockStreams(record.projectId, [record.streamId]);
    return settleIn(deps, tx, { ...settling, record: locked });
  });
  if (ended) await wakeWaiters(deps, record);
}

async function settleIn(deps: EngineDeps, tx: RunTransaction, settling: Settling): Promise<boolean> {
  const { record, result } = settling;
  if (result.kind === 'failed' && result.retryable && record.attempt < MAX_ATTEMPTS) {
    await tx.updateCompaction(record.projectId, record.compactionId, {
      requeue: true,
      attempt: record.attempt + 1,
      dueInMs: RETRY_DELAY_MS * record.attempt,
      attempts: withAttempt(deps, record, attemptOf(result, null)),
    });
    return false;
  }
  const now = await readRange(tx, record);
  const all = { ...result, spent: totalSpent(record.usage, result.spent) };
  const end = compactionEnd(record, all, now);
  await tx.append([
    { projectId: record.projectId, streamId: record.streamId, events: [compactionEvent(deps, record, end)] },
  ]);
  await tx.updateCompaction(record.projectId, record.compactionId, {
    ...patchOf(end),
    ended: true,
    attempts: withAttempt(deps, record, attemptOf(result, end)),
    ...((result.failedModels ?? []).length === 0 ? {} : { modelsFailed: true }),
  });
  return true;
}

/** The row's columns for an end. */
export function patchOf(end: CompactionEnd): CompactionPatch {
  switch (end.type) {
    case 'ContextCompacted': {
      const { data } = end;
      return {
        status: 'compacted',
        live: true,
        charsAfter: data.chars_after,
        bytesSaved: data.bytes_saved,
        summary: data.summary,
        summarizerModel: data.model,
        extractive: data.extractive,
        sourceDigest: data.source_digest,
      };
    }
    case 'CompactionSkipped':
      return { status: 'skipped', charsAfter: end.data.chars_after, bytesSaved: end.data.bytes_saved };
    case 'CompactionDiscarded':
      return { status: 'discarded' };
    case 'CompactionFailed':
      return { status: 'failed' };
  }
}

/** How an attempt went, for who looks at the compaction. `end`: null when it is tried again. */
export function attemptOf(result: Settled, end: CompactionEnd | null): Pick<CompactionAttempt, 'outcome' | 'error'> {
  const faults = (result.failedModels ?? []).map((one) => `${one.model}: ${one.class}: ${one.detail}`);
  if (result.withheld !== undefined) faults.push(result.withheld);
  if (result.kind === 'failed') faults.push(`${result.class}: ${result.detail}`);
  if (end?.type === 'CompactionDiscarded') faults.push(`${end.data.reason}: ${end.data.detail}`);
  return {
    outcome: end?.type === 'CompactionDiscarded' ? 'discarded' : result.kind,
    error: faults.length === 0 ? null : faults.join('; '),
  };
}

type Attempted = Pick<CompactionRecord, 'attempts' | 'attempt' | 'requestedAt'>;

/** The attempts of a row and the one that ends now. */
export function withAttempt(
  { now }: Pick<EngineDeps, 'now'>,
  { attempts, attempt, requestedAt }: Attempted,
  how: Pick<CompactionAttempt, 'outcome' | 'error'>,
): CompactionAttempt[] {
  const startedAt = attempts.at(-1)?.ended_at ?? requestedAt;
  return [...attempts, { n: attempt, started_at: startedAt, ended_at: now().toISOString(), ...how }];
}

type Asked = Pick<NewCompaction, 'runId' | 'stepId' | 'item' | 'streamId'>;

export const subjectOf = ({ runId, stepId, item, streamId }: Asked) => ({ runId, stepId, item, round: 0, streamId });

export function compactionEvent(
  deps: Pick<EngineDeps, 'redact'>,
  record: Asked & Pick<NewCompaction, 'compactionId'>,
  end: CompactionEnd,
): NewEvent {
  return newEvent(deps.redact, subjectOf(record), end.type, [record.compactionId], end.data);
}
