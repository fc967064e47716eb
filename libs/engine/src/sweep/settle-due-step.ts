import { isEndedStep } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { writeFailure } from '../settle-step.js';
import { changeStep } from './change-step.js';

type DueStep = { projectId: string; runId: string; stepRunId: string };

/** A timer that is due, or a wait that expired: the step is runnable again. */
export async function wakeDueStep(deps: EngineDeps, due: DueStep): Promise<void> {
  await changeStep(deps, due, async ({ tx, recorder }, row) => {
    if (row.status !== 'waiting' || row.reason === null) return null;
    recorder.ofStep(row, 'StepWoken', [row.fence, row.dispatchNo], { reason: row.reason });
    await tx.removeWaits(row.projectId, row.stepRunId);
    await tx.updateStepRun(row.projectId, row.stepRunId, { requeue: true });
    return [row.stepRunId];
  });
}

/** A step past its timeout whose worker did not end it: that worker is fenced out, then the failure is settled as any. */
export async function settleDueStep(deps: EngineDeps, due: DueStep): Promise<void> {
  await changeStep(deps, due, async (advance, row) => {
    if (isEndedStep(row.status) || row.timeoutAt === null || Date.parse(row.timeoutAt) > deps.now().getTime()) return null;
    await advance.tx.removeWaits(row.projectId, row.stepRunId);
    const detail = "the step did not end within its timeout; raise the step's timeout or make it do less";
    await writeFailure(advance, row, { kind: 'step_timeout', detail, retryAfterMs: null });
    return [];
  });
}
