import type { PipelineDefinition } from '#libs/domain';
import { afterCommit } from '../advance/after-commit.js';
import { advanceRun, type Advance, type Advanced } from '../advance/advance-run.js';
import { RunRecorder } from '../advance/run-recorder.js';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import type { StepRunRecord } from '../ports/run-store.port.js';

/** What to write about a locked step; null: it is no longer as it was found, nothing happens. Returns step runs that are runnable now. */
export type StepChange = (advance: Advance, row: StepRunRecord) => Promise<string[] | null>;

/** Locks a run and one of its steps, re-checks, changes, advances the run, and wakes who must know: one transaction. */
export async function changeStep(
  deps: EngineDeps,
  at: { projectId: string; runId: string; stepRunId: string },
  change: StepChange,
): Promise<boolean> {
  const known = await deps.runs.getRun(at.projectId, at.runId);
  if (known === null) return false;
  const definition = await loadDefinition(deps, at.projectId, known.pipeline, known.pipelineVersion);
  const advanced = await deps.runs.transact((tx) => changeIn(deps, tx, { ...at, definition, change }));
  if (advanced !== null) await afterCommit(deps, advanced);
  return advanced !== null;
}

type Changing = {
  projectId: string;
  runId: string;
  stepRunId: string;
  definition: PipelineDefinition;
  change: StepChange;
};

async function changeIn(
  deps: EngineDeps,
  tx: Advance['tx'],
  { projectId, runId, stepRunId, definition, change }: Changing,
): Promise<Advanced | null> {
  const run = await tx.lockRun(projectId, runId);
  const row = await tx.lockStepRun(projectId, stepRunId);
  if (run === null || row === null) return null;
  const recorder = new RunRecorder(deps, run);
  const advance: Advance = { deps, tx, run, definition, recorder };
  const runnable = await change(advance, row);
  if (runnable === null) return null;
  const advanced = await advanceRun(advance);
  await recorder.flush(tx);
  return { ...advanced, runnable: [...runnable, ...advanced.runnable] };
}
