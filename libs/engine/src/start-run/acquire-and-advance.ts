import { advanceRun, type Advanced } from '../advance/advance-run.js';
import type { RunRecorder } from '../advance/run-recorder.js';
import type { EngineDeps } from '../engine-deps.js';
import type { PipelineDefinition } from '#libs/domain';
import type { RunRecord } from '../ports/run-records.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';

/**
 * Takes a slot of its concurrency key and the stream for a locked, queued run and makes its first steps runnable; null
 * when one of them is not free, the run's status_reason says which.
 * Locks the stream after the run, as the lock order asks.
 */
export async function acquireAndAdvance(begin: {
  deps: EngineDeps;
  tx: RunTransaction;
  run: RunRecord;
  definition: PipelineDefinition;
  recorder: RunRecorder;
}): Promise<Advanced | null> {
  const { tx, run, recorder } = begin;
  if (run.startAt !== null && (await tx.isDelayed(run))) {
    if (run.statusReason !== 'delayed') await tx.updateRun(run.projectId, run.runId, { statusReason: 'delayed' });
    return null;
  }
  if (!(await tx.hasConcurrencySlot(run))) {
    if (run.statusReason !== 'concurrency')
      await tx.updateRun(run.projectId, run.runId, { statusReason: 'concurrency' });
    return null;
  }
  await tx.lockStreams(run.projectId, [run.streamId]);
  if (!(await tx.acquireStream(run))) {
    if (run.statusReason !== 'stream_busy')
      await tx.updateRun(run.projectId, run.runId, { statusReason: 'stream_busy' });
    return null;
  }
  await tx.updateRun(run.projectId, run.runId, { status: 'running', statusReason: null, started: true });
  recorder.ofRun('RunStarted', [run.generation], {});
  return advanceRun({ ...begin, run: { ...run, status: 'running', statusReason: null } });
}
