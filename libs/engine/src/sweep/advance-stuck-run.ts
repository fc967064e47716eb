import { afterCommit } from '../advance/after-commit.js';
import { advanceRun } from '../advance/advance-run.js';
import { RunRecorder } from '../advance/run-recorder.js';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import { isEndedRun } from '#libs/domain';

/** A run of which nothing is outstanding although it has not ended: decide again. Advancing is idempotent. */
export async function advanceStuckRun(deps: EngineDeps, projectId: string, runId: string): Promise<void> {
  const known = await deps.runs.getRun(projectId, runId);
  if (known === null) return;
  const definition = await loadDefinition(deps, projectId, known.pipeline, known.pipelineVersion);
  const advanced = await deps.runs.transact(async (tx) => {
    const run = await tx.lockRun(projectId, runId);
    if (run === null || isEndedRun(run.status) || run.status === 'queued') return null;
    const recorder = new RunRecorder(deps, run);
    const result = await advanceRun({ deps, tx, run, definition, recorder }, 'all');
    await recorder.flush(tx);
    return result;
  });
  if (advanced !== null) await afterCommit(deps, advanced);
}
