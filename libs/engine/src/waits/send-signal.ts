import { AppError, type Json } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { changeStep } from '../sweep/change-step.js';
import { succeedWait } from './end-wait.js';
import { signalWaitKey } from './wait-key.js';

/** What else belongs to the transaction that keeps a signal. */
export type SendWithin = {
  /** Asked before anything is written. False: no signal. */
  claim(tx: RunTransaction): Promise<boolean>;
  sent(tx: RunTransaction, signalId: string): Promise<void>;
};

export type SentSignal = { signalId: string; deliveredTo: string | null };

export type SendSignal = { projectId: string; name: string; key: string; payload: Json };

/**
 * Keeps the signal, then wakes the step that has waited for it longest; a step that comes to wait later finds it. A crash
 * in between is what the sweeper's look at signalled waits is for.
 */
export async function sendSignal(deps: EngineDeps, command: SendSignal): Promise<SentSignal> {
  const sent = await sendSignalWithin(deps, command, null);
  if (sent !== null) return sent;
  throw new AppError('signal_not_claimed', 'a signal without conditions was refused by one');
}

/** The same, as a part of something that must happen once. Null: it was refused. */
export async function sendSignalWithin(
  deps: EngineDeps,
  command: SendSignal,
  within: SendWithin | null,
): Promise<SentSignal | null> {
  const { projectId, name, key, payload } = command;
  const signalId = deps.newId('sig');
  const waitKey = signalWaitKey(name, key);
  const waiting = await deps.runs.transact(async (tx) => {
    if (within !== null && !(await within.claim(tx))) return null;
    await tx.lockSignal(projectId, waitKey);
    await within?.sent(tx, signalId);
    await tx.insertSignal({ projectId, signalId, name, key, waitKey, payload: deps.redact(payload) });
    return tx.waiters(projectId, 'signal', waitKey);
  });
  if (waiting === null) return null;
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
