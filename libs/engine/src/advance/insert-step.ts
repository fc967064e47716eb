import { effectiveStep, type StepPlace } from '#libs/domain';
import type { NewStepRun } from '../ports/run-records.port.js';
import type { Advance } from './advance.js';
import { stepRunId } from './step-run-id.js';

/** The row of a step that is decided now; returns its id. */
export async function insertStep(
  place: StepPlace & { kind: string },
  { tx, run, definition }: Advance,
  state: Pick<NewStepRun, 'status' | 'reason' | 'waitingKey' | 'isDispatched'>,
): Promise<string> {
  const id = stepRunId(run.runId, place);
  const { stepId, item, round, kind } = place;
  const timeoutMs = effectiveStep(definition, stepId)?.timeoutMs ?? null;
  await tx.insertStepRuns(run.projectId, [
    { stepRunId: id, runId: run.runId, stepId, item, round, kind, priority: run.priority, timeoutMs, ...state },
  ]);
  return id;
}
