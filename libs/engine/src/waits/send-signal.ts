import type { Json } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { changeStep } from '../sweep/change-step.js';
import { succeedWait } from './end-wait.js';
import { signalWaitKey } from './wait-key.js';

export type SendSignal = { projectId: string; name: string; key: string; payload: Json };

/**
 * Keeps the signal, then wakes the step that has waited for it longest; a step that comes to wait later finds it. A crash
 * in between is what the sweeper's look at signalled waits is for.
 */
export async function sendSignal(
  deps: EngineDeps,
  command: SendSignal,
): Promise<{ signalId: string; deliveredTo: string | null }> {
  const { projectId, name, key, payload } = command;
  const signalId = deps.newId('sig');
  const waitKey = signalWaitKey(name, key);
  const waiting = await deps.runs.transact(async (tx) => {
    await tx.lockSignal(projectId, waitKey);
    await tx.insertSignal({ projectId, signalId, name, key, waitKey, payload });
    return tx.waiters(projectId, 'signal', waitKey);
  });
  for (const stepRunId of waiting) {
    const step = await deps.runs.getStepRun(stepRunId);
    if (step !== null && (await deliverSignal(deps, step))) return { signalId, deliveredTo: step.runId };
  }
  return { signalId, deliveredTo: null };
}

/** Gives a step that waits for a signal the oldest that is there. False: it does not wait any more, or there is none. */
export async function deliverSignal(
  deps: EngineDeps,
  at: { projectId: string; runId: string; stepRunId: string },
): Promise<boolean> {
  return changeStep(deps, at, async (advance, row) => {
    if (row.status !== 'waiting' || row.kind !== 'wait_for') return null;
    const [wait] = (await advance.tx.waitsOf(row.projectId, row.stepRunId)).filter(({ kind }) => kind === 'signal');
    if (wait === undefined) return null;
    await advance.tx.lockSignal(row.projectId, wait.key);
    const signal = await advance.tx.takeSignal(row.projectId, wait.key, row.stepRunId);
    if (signal === null) return null;
    await succeedWait(advance, row, { signal });
    return [];
  });
}
