import { AppError, RetryableError } from '#libs/domain';
import { stopReasonOf } from '../claim/held-steps.js';
import type { EngineDeps } from '../engine-deps.js';
import type { CompactionRecord } from '../ports/compaction-store.port.js';
import { readSource } from './read-source.js';
import { settleCompaction } from './settle-compaction.js';
import { NOTHING_SPENT } from './spent.js';
import { summarise, type Summarised } from './summarise.js';

/** One job of the compaction queue: claim, summarise, settle; the same claim, lease and fence as a step. */
export async function runCompactionJob(
  deps: EngineDeps,
  job: { compactionId: string; dispatchNo: number },
  signal?: AbortSignal,
): Promise<void> {
  if (deps.held.isDraining()) return deps.compactions.redispatchCompactions([job]);
  const { workerId, leaseMs } = deps.settings;
  const record = await deps.compactions.claimCompaction({ ...job, workerId, leaseMs });
  if (record === null) return;
  const held = deps.held.hold(record.compactionId, record.runId ?? record.compactionId, record.fence);
  const onAbort = (): void => held.stop('shutdown');
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await compact(deps, record, held.signal);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    deps.held.release(held);
  }
}

async function compact(deps: EngineDeps, record: CompactionRecord, signal: AbortSignal): Promise<void> {
  const result = await summariseSafely(deps, record, signal);
  if (result.kind !== 'stopped') return settleCompaction(deps, { record, result });
  // Fenced out: another compactor has it.
  if (stopReasonOf(signal) === 'shutdown') await giveBack(deps, record);
}

/** A process that shuts down lets another one begin anew at once; that is no death of the compaction's doing. */
async function giveBack(deps: EngineDeps, { projectId, compactionId, fence }: CompactionRecord): Promise<void> {
  await deps.runs.transact(async (tx) => {
    const locked = await tx.lockCompaction(projectId, compactionId);
    if (locked === null || locked.fence !== fence || locked.status !== 'running') return;
    await tx.updateCompaction(projectId, compactionId, { requeue: true, released: true });
  });
  deps.logger.info({ compaction_id: compactionId }, 'compaction given back: this process shuts down');
}

async function summariseSafely(deps: EngineDeps, record: CompactionRecord, signal: AbortSignal): Promise<Summarised> {
  try {
    return await summarise(deps, record, await readSource(deps, record), signal);
  } catch (error) {
    if (error instanceof RetryableError) throw error;
    if (error instanceof AppError)
      return { kind: 'failed', class: error.code, detail: error.message, retryable: false, spent: NOTHING_SPENT };
    deps.logger.error(
      { compaction_id: record.compactionId, error: String(error) },
      'a compaction ended by an unexpected error',
    );
    return {
      kind: 'failed',
      class: 'internal_error',
      detail: 'an unexpected error; the log has it under this compaction id',
      retryable: true,
      spent: NOTHING_SPENT,
    };
  }
}

/** Renews the leases of the compactions that this process runs. */
export async function heartbeatCompactions(deps: Pick<EngineDeps, 'held' | 'compactions' | 'settings'>): Promise<void> {
  const held = deps.held.all();
  if (held.length === 0) return;
  const renewed = await deps.compactions.heartbeatCompactions(
    held.map(({ stepRunId, fence }) => ({ compactionId: stepRunId, fence })),
    deps.settings.leaseMs,
  );
  for (const compaction of held) if (!renewed.has(compaction.stepRunId)) compaction.stop('fenced');
}
