import { isEndedRun, type RunError } from '#libs/domain';
import { RunRecorder } from './advance/run-recorder.js';
import type { EngineDeps } from './engine-deps.js';

export type DiscardResult = { status: 'discarded'; runId: string } | { status: 'not_found' | 'not_dead' | 'under_way' };

/** Nobody goes on with a step that was given up: it counts as failed, and so does its run when it was the last of them. */
export async function discardDeadLetter(
  deps: Pick<EngineDeps, 'runs' | 'redact' | 'newId'>,
  { projectId, stepRunId }: { projectId: string; stepRunId: string },
): Promise<DiscardResult> {
  const known = await deps.runs.getStepRun(stepRunId);
  if (known === null || known.projectId !== projectId) return { status: 'not_found' };
  return deps.runs.transact(async (tx): Promise<DiscardResult> => {
    const run = await tx.lockRun(projectId, known.runId);
    const row = await tx.lockStepRun(projectId, stepRunId);
    if (run === null || row === null) return { status: 'not_found' };
    if (row.status !== 'dead_letter') return { status: 'not_dead' };
    if (!isEndedRun(run.status)) return { status: 'under_way' };
    const error: RunError = row.error ?? { code: 'dead_letter', detail: 'it was given up', step_id: row.stepId };
    const recorder = new RunRecorder(deps, run);
    recorder.ofStep(row, 'StepFailed', ['discarded', row.fence], { attempt: row.attempt, error });
    await tx.updateStepRun(projectId, stepRunId, { status: 'failed', error });
    const rows = await tx.stepRuns(projectId, run.runId);
    const isLast = rows.every((other) => other.stepRunId === stepRunId || other.status !== 'dead_letter');
    if (isLast && run.status === 'dead_letter') {
      const failure = run.error ?? error;
      recorder.ofRun('RunFailed', ['discarded', run.generation], { error: failure });
      await tx.updateRun(projectId, run.runId, { status: 'failed', error: failure });
    }
    await recorder.flush(tx);
    return { status: 'discarded', runId: run.runId };
  });
}
