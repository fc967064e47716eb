import { findDefinedStep, type ApprovalDecision, type Json, type RunError, type StepPlace } from '#libs/domain';
import { closeStep } from '../advance/cancel-steps.js';
import type { Advance } from '../advance/advance.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import type { SignalRecord } from '../ports/wait-store.port.js';

type WaitingStep = StepPlace & { stepRunId: string };

/** What ended a wait, with what the step's output is made of. */
export type WaitEnd = { signal: SignalRecord } | { decision: DecisionOutput } | { slept: true };

export type DecisionOutput = {
  decision: ApprovalDecision;
  form: Json;
  comment: string | null;
  decidedBy: string | null;
};

/** The step succeeds with what it waited for. */
export async function succeedWait(advance: Advance, step: WaitingStep, end: WaitEnd): Promise<void> {
  const { tx, run, recorder } = advance;
  if ('signal' in end) recordSignal(advance, step, end.signal);
  const output = outputOf(end);
  await tx.removeWaits(run.projectId, step.stepRunId);
  recorder.ofStep(step, 'StepSucceeded', ['wait', run.generation], { output });
  const patch = { status: 'succeeded', reason: null, output, error: null, ended: true } as const;
  await tx.updateStepRun(run.projectId, step.stepRunId, patch);
}

function outputOf(end: WaitEnd): Json {
  if ('signal' in end) return end.signal.payload;
  if ('slept' in end) return null;
  const { decision, form, comment, decidedBy } = end.decision;
  return { decision, form, comment, decided_by: decidedBy };
}

function recordSignal({ recorder }: Advance, step: StepPlace, signal: SignalRecord): void {
  recorder.ofStep(step, 'SignalReceived', [signal.signalId], {
    signal_id: signal.signalId,
    signal: signal.name,
    key: signal.key,
    payload: signal.payload,
    sent_at: signal.sentAt,
  });
}

/**
 * The time of a waiting step is over: a sleep succeeds, an approval follows its `on_timeout`, a signal that did not come
 * times out. Null: its time is not over.
 */
export async function endDueWait(advance: Advance, row: StepRunRecord): Promise<string[] | null> {
  const waits = await advance.tx.waitsOf(row.projectId, row.stepRunId);
  if (!waits.some(({ isDue }) => isDue)) return null;
  const step = findDefinedStep(advance.definition, row.stepId)?.step;
  if (step?.kind === 'sleep') await succeedWait(advance, row, { slept: true });
  else if (step?.kind === 'approval') await expireApproval(advance, row, step.onTimeout);
  else if (step?.kind === 'wait_for') {
    const detail = `no signal ${row.waitingKey ?? step.signal} came in time; raise wait_for.timeout, or handle it with on_error`;
    await timeOutWait(advance, row, { code: 'signal_timeout', detail, step_id: row.stepId });
  } else return null;
  return [];
}

async function expireApproval(
  advance: Advance,
  row: StepRunRecord,
  onTimeout: 'deny' | 'approve' | 'fail',
): Promise<void> {
  const { tx, recorder } = advance;
  const approvalId = row.waitingKey ?? '';
  if (onTimeout === 'fail') {
    const detail = 'nobody decided in time; raise approval.timeout, or choose on_timeout: deny or approve';
    return timeOutWait(advance, row, { code: 'approval_timeout', detail, step_id: row.stepId });
  }
  const decided = { decision: onTimeout, form: null, comment: null, arguments: null, decidedBy: null };
  await tx.storeDecision({ projectId: row.projectId, approvalId, ...decided });
  recorder.ofStep(row, 'ApprovalDecided', [approvalId], {
    approval_id: approvalId,
    decision: onTimeout,
    form: null,
    comment: null,
    arguments: null,
    decided_by: null,
  });
  await succeedWait(advance, row, { decision: decided });
}

async function timeOutWait(advance: Advance, row: StepRunRecord, error: RunError): Promise<void> {
  const { tx, run, recorder } = advance;
  await closeStep(advance, { stopped: [], childrenOf: [] }, row);
  recorder.ofStep(row, 'StepTimedOut', [row.attempt, run.generation], { error });
  await tx.updateStepRun(row.projectId, row.stepRunId, { status: 'timed_out', reason: null, error, ended: true });
}
