import { advanceRun, type Advanced } from '../advance/advance-run.js';
import type { RunRecorder } from '../advance/run-recorder.js';
import type { EngineDeps } from '../engine-deps.js';
import type { PipelineDefinition } from '#libs/domain';
import type { RunRecord, RunTransaction } from '../ports/run-store.port.js';

/**
 * Takes the stream for a locked, queued run and makes its first steps runnable; null when the stream is busy.
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
  await tx.lockStreams(run.projectId, [run.streamId]);
  if (!(await tx.acquireStream(run))) return null;
  await tx.updateRun(run.projectId, run.runId, { status: 'running', statusReason: null, started: true });
  recorder.ofRun('RunStarted', [run.generation], {});
  return advanceRun({ ...begin, run: { ...run, status: 'running', statusReason: null } });
}
