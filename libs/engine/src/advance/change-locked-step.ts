import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import { advanceRun, type Advance, type Advanced } from './advance-run.js';
import { RunRecorder } from './run-recorder.js';

/** What to write about a locked step; null: it is no longer as it was found, nothing happens. Returns step runs that are runnable now. */
export type StepChange = (advance: Advance, row: StepRunRecord) => Promise<string[] | null>;

/** Locks a run and one of its steps, re-checks, changes, advances the run: one transaction. The caller calls `afterCommit`. */
export async function changeLockedStep(
  deps: EngineDeps,
  { projectId, runId, stepRunId }: { projectId: string; runId: string; stepRunId: string },
  change: StepChange,
): Promise<Advanced | null> {
  const known = await deps.runs.getRun(projectId, runId);
  if (known === null) return null;
  const definition = await loadDefinition(deps, projectId, known.pipeline, known.pipelineVersion);
  return deps.runs.transact(async (tx) => {
    const run = await tx.lockRun(projectId, runId);
    const row = await tx.lockStepRun(projectId, stepRunId);
    if (run === null || row === null) return null;
    const recorder = new RunRecorder(deps, run);
    const advance: Advance = { deps, tx, run, definition, recorder };
    const runnable = await change(advance, row);
    if (runnable === null) return null;
    const advanced = await advanceRun(advance, [row]);
    await recorder.flush(tx);
    return { ...advanced, runnable: [...runnable, ...advanced.runnable] };
  });
}
