import type { CompactionEnd } from '../compact-stream/compaction-end.js';
import { compactionEvent, patchOf, withAttempt } from '../compact-stream/settle-compaction.js';
import { NOTHING_SPENT, totalSpent } from '../compact-stream/spent.js';
import { wakeWaiters } from '../compact-stream/wake-waiters.js';
import type { EngineDeps } from '../engine-deps.js';
import type { CompactionRecord } from '../ports/compaction-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';

/**
 * A compactor stopped renewing its lease: another one takes over (not an attempt). A compaction that has taken down so many
 * in a row is poison and ends, so that who waits for it goes on by the ladder.
 */
export async function settleExpiredCompaction(deps: EngineDeps, found: CompactionRecord): Promise<void> {
  const hasEnded = await deps.runs.transact(async (tx) => {
    const locked = await tx.lockCompaction(found.projectId, found.compactionId);
    // The fence tells whether it is still the same claim; a renewed lease keeps the fence, so its end counts too.
    if (locked === null || locked.status !== 'running') return false;
    if (locked.fence !== found.fence || locked.leaseUntil !== found.leaseUntil) return false;
    return giveOnOrEnd(deps, tx, locked);
  });
  if (hasEnded) await wakeWaiters(deps, found);
}

async function giveOnOrEnd(deps: EngineDeps, tx: RunTransaction, record: CompactionRecord): Promise<boolean> {
  const { projectId, compactionId, streamId } = record;
  const stalls = record.starts - (record.attempt - 1);
  if (stalls < deps.settings.maxStalls) {
    deps.logger.warn(
      { compaction_id: compactionId, worker_id: record.workerId, stalls },
      'lease expired: the compaction is dispatched again',
    );
    await tx.updateCompaction(projectId, compactionId, { requeue: true });
    return false;
  }
  const end = poisoned(record, stalls);
  await tx.lockStreams(projectId, [streamId]);
  await tx.append([{ projectId, streamId, events: [compactionEvent(deps, record, end)] }]);
  const how = { outcome: 'failed', error: `${end.data.class}: ${end.data.detail}` };
  await tx.updateCompaction(projectId, compactionId, {
    ...patchOf(end),
    ended: true,
    attempts: withAttempt(deps, record, how),
  });
  return true;
}

function poisoned(record: CompactionRecord, stalls: number): Extract<CompactionEnd, { type: 'CompactionFailed' }> {
  const { usage, costUsd } = totalSpent(record.usage, NOTHING_SPENT);
  return {
    type: 'CompactionFailed',
    data: {
      compaction_id: record.compactionId,
      class: 'lease_expiries',
      detail: `its compactor died or hung ${stalls} times in a row (last one ${record.workerId ?? 'unknown'})`,
      attempts: record.attempt,
      usage,
      cost_usd: costUsd,
    },
  };
}
