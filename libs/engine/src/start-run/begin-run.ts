import { afterCommit } from '../advance/after-commit.js';
import { advanceRun, type Advanced } from '../advance/advance-run.js';
import { RunRecorder } from '../advance/run-recorder.js';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import type { PipelineDefinition } from '#libs/domain';
import type { RunRecord, RunTransaction } from '../ports/run-store.port.js';

/** Starts a queued run whose stream has become free. Another process may have been faster: then nothing happens. */
export async function beginRun(deps: EngineDeps, projectId: string, runId: string): Promise<void> {
  const known = await deps.runs.getRun(projectId, runId);
  if (known === null) return;
  const definition = await loadDefinition(deps, projectId, known.pipeline, known.pipelineVersion);
  const advanced = await deps.runs.transact(async (tx) => {
    const run = await tx.lockRun(projectId, runId);
    if (run === null || run.status !== 'queued') return null;
    const recorder = new RunRecorder(deps, run);
    const begun = await acquireAndAdvance({ deps, tx, run, definition, recorder });
    await recorder.flush(tx);
    return begun;
  });
  if (advanced !== null) await afterCommit(deps, advanced);
}

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
  recorder.ofRun('RunStarted', [], {});
  return advanceRun({ ...begin, run: { ...run, status: 'running', statusReason: null } });
}
