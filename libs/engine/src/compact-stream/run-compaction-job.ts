import { RetryableError } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import type { CompactionRecord } from '../ports/compaction-store.port.js';
import { readSource, type CompactionSource } from './read-source.js';
import { settleCompaction } from './settle-compaction.js';
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
  const source = await readSource(deps, record);
  const result = await summariseSafely(deps, record, source, signal);
  // Stopped by a shutdown or fenced out: the lease runs out and another compactor takes it over.
  if (result.kind === 'stopped') return;
  await settleCompaction(deps, { record, source, result });
}

async function summariseSafely(
  deps: EngineDeps,
  record: CompactionRecord,
  source: CompactionSource,
  signal: AbortSignal,
): Promise<Summarised> {
  try {
    return await summarise(deps, record, source, signal);
  } catch (error) {
    if (error instanceof RetryableError) throw error;
    deps.logger.error(
      { compaction_id: record.compactionId, error: String(error) },
      'a compaction ended by an unexpected error',
    );
    return {
      kind: 'failed',
      class: 'internal_error',
      detail: 'an unexpected error; the log has it under this compaction id',
      retryable: true,
      spent: { usage: null, costUsd: 0, modelCalls: 0 },
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
