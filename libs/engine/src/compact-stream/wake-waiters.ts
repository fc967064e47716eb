import type { EngineDeps } from '../engine-deps.js';
import type { CompactionRecord } from '../ports/compaction-store.port.js';
import { wakeDueStep } from '../sweep/settle-due-step.js';

/** Steps that wait for this compaction go on. The sweeper finds those whom a crash here leaves asleep. */
export async function wakeWaiters(
  deps: EngineDeps,
  record: Pick<CompactionRecord, 'projectId' | 'compactionId'>,
): Promise<void> {
  const waiters = await deps.runs.transact((tx) => tx.waiters(record.projectId, 'compaction', record.compactionId));
  for (const stepRunId of waiters) {
    const step = await deps.runs.getStepRun(stepRunId);
    if (step !== null) await wakeDueStep(deps, step);
  }
}
