import { effectiveStep, type StepPlace } from '#libs/domain';
import type { NewStepRun } from '../ports/run-records.port.js';
import type { Advance } from './advance.js';
import { stepRunId } from './step-run-id.js';

/** The row of a step that is decided now, or after a retry decided anew; returns its id. */
export async function insertStep(
  place: StepPlace & { kind: string; attempt: number },
  { tx, run, definition }: Advance,
  state: Pick<NewStepRun, 'status' | 'reason' | 'waitingKey' | 'isDispatched' | 'lease'>,
): Promise<string> {
  const id = stepRunId(run.runId, place);
  const { stepId, item, round, kind, attempt } = place;
  const timeoutMs = effectiveStep(definition, stepId)?.timeoutMs ?? null;
  await tx.insertStepRuns(run.projectId, [
    {
      stepRunId: id,
      runId: run.runId,
      stepId,
      item,
      round,
      kind,
      attempt,
      priority: run.priority,
      timeoutMs,
      ...state,
    },
  ]);
  return id;
}
