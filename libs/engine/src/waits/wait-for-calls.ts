import { subStreamId } from '#libs/domain';
import type { Advance } from '../advance/advance.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import type { ApprovalRecord } from '../ports/wait-store.port.js';
import type { CallApproval, CallPlace } from '../run-step/step-outcome.js';
import { resultWaitKey } from './wait-key.js';

type WaitForCalls = { approvals: readonly CallApproval[]; results: readonly CallPlace[] };

/**
 * The step gives its slot back until people have decided about its calls or their real results are there. Under the lock of
 * the step, which decisions and results take too: what came since it last looked makes it runnable at once.
 */
export async function waitForCalls(advance: Advance, row: StepRunRecord, waiting: WaitForCalls): Promise<string[]> {
  const { tx, recorder } = advance;
  const open = await openApprovals(advance, row, waiting.approvals);
  if (open === null || (await hasNewResult(advance, row, waiting.results))) {
    await tx.updateStepRun(row.projectId, row.stepRunId, { requeue: true });
    return [row.stepRunId];
  }
  const reason = open.length > 0 ? 'approval' : 'signal';
  const [first] = waiting.results;
  const key = open[0] ?? (first === undefined ? null : resultWaitKey(first.callNo, first.ordinal));
  recorder.ofStep(row, 'StepWaiting', [row.fence], { reason, key, due_at: null });
  for (const approvalId of open)
    await tx.addWait(row.projectId, row.stepRunId, { kind: 'approval', key: approvalId, dueInMs: null });
  for (const { callNo, ordinal } of waiting.results)
    await tx.addWait(row.projectId, row.stepRunId, {
      kind: 'signal',
      key: resultWaitKey(callNo, ordinal),
      dueInMs: null,
    });
  const patch = { status: 'waiting', reason, waitingKey: key, clockStopped: true } as const;
  await tx.updateStepRun(row.projectId, row.stepRunId, patch);
  return [];
}

/** Ids of what is undecided, asked for now where it was not; null: something is decided. */
async function openApprovals(
  advance: Advance,
  row: StepRunRecord,
  asked: readonly CallApproval[],
): Promise<string[] | null> {
  const known = await advance.tx.approvalsOfStep(row.projectId, row.stepRunId);
  const open: string[] = [];
  for (const ask of asked) {
    const approval = approvalOf(known, ask);
    if (approval !== null && approval.status !== 'pending') return null;
    open.push(approval?.approvalId ?? (await request(advance, row, ask)));
  }
  return open;
}

/** The approval that was asked for this call; of several the last, for lost outcomes the one for the last loss. */
export function approvalOf(
  approvals: readonly ApprovalRecord[],
  ask: Pick<CallApproval, 'callNo' | 'ordinal' | 'kind' | 'lost'>,
): ApprovalRecord | null {
  const asked = approvals.filter(
    ({ callNo, ordinal, kind, status }) =>
      callNo === ask.callNo && ordinal === ask.ordinal && kind === ask.kind && status !== 'cancelled',
  );
  return (ask.kind === 'unknown_outcome' ? asked[ask.lost - 1] : asked.at(-1)) ?? null;
}

async function request({ tx, run, deps, recorder }: Advance, row: StepRunRecord, ask: CallApproval): Promise<string> {
  const approvalId = deps.newId('apr');
  const { stepRunId, stepId, item, round, projectId, runId } = row;
  const { callNo, ordinal, kind, tool, prompt } = ask;
  // What people see and what is stored is free of secrets; the call itself is made with what the model wrote.
  const shown = deps.redact(ask.arguments);
  const argumentsText = typeof shown === 'string' ? shown : ask.arguments;
  const about = { kind, prompt, form: null, tool, arguments: argumentsText };
  await tx.insertApproval({
    projectId,
    approvalId,
    runId,
    stepRunId,
    stepId,
    item,
    round,
    callNo,
    ordinal,
    ...about,
    dueInMs: null,
  });
  recorder.ofStep(row, 'ApprovalRequested', [approvalId, run.generation], {
    approval_id: approvalId,
    ...about,
    call_no: callNo,
    ordinal,
    due_at: null,
  });
  return approvalId;
}

async function hasNewResult({ tx, run }: Advance, row: StepRunRecord, awaited: readonly CallPlace[]): Promise<boolean> {
  if (awaited.length === 0) return false;
  const events = await tx.read({
    projectId: run.projectId,
    streamId: subStreamId(run.streamId, row.stepId, row.item),
    types: ['ToolCallCompleted'],
  });
  return events.some(
    (event) =>
      event.type === 'ToolCallCompleted' &&
      event.runId === run.runId &&
      event.round === row.round &&
      event.data.status !== 'pending' &&
      awaited.some(({ callNo, ordinal }) => event.data.call_no === callNo && event.data.ordinal === ordinal),
  );
}
