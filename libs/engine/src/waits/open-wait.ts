import { scopeOf, type OpenWait, type Scope, type SleepEnd, type StepCommand, type WaitReason } from '#libs/domain';
import type { Advance } from '../advance/advance.js';
import { insertStep } from '../advance/insert-step.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { dueAt } from './due-at.js';
import { succeedWait } from './end-wait.js';
import { signalLabel, signalWaitKey } from './wait-key.js';

type OpenCommand = Extract<StepCommand, { type: 'open_wait' }>;
type WaitFor<F extends OpenWait['for']> = Extract<OpenWait, { for: F }>;

/**
 * A step begins to wait: row, wait and event in one transaction, under the lock of what it waits for, so that nothing
 * comes in between. Returns the scope to decide when what it waits for is there already.
 */
export async function openWait(command: OpenCommand, advance: Advance): Promise<Scope[]> {
  advance.recorder.ofStep(command, 'StepQueued', [advance.run.generation], {
    kind: command.kind,
    attempt: command.attempt,
  });
  const { wait } = command;
  switch (wait.for) {
    case 'time':
      return openSleep(command, wait, advance);
    case 'approval':
      return openApproval(command, wait, advance);
    case 'signal':
      return openSignal(command, wait, advance);
  }
}

async function openSleep(command: OpenCommand, wait: WaitFor<'time'>, advance: Advance): Promise<Scope[]> {
  const dueInMs = await sleepMs(advance.tx, wait.until);
  const id = await begin(command, advance, { reason: 'timer', key: null, dueInMs });
  await advance.tx.addWait(advance.run.projectId, id, { kind: 'timer', key: 'sleep', dueInMs });
  return [];
}

async function sleepMs(tx: Pick<RunTransaction, 'now'>, until: SleepEnd): Promise<number> {
  switch (until.type) {
    case 'duration':
      return until.durationMs;
    case 'until':
      return Math.max(0, Date.parse(until.at) - (await tx.now()));
  }
}

async function openApproval(command: OpenCommand, wait: WaitFor<'approval'>, advance: Advance): Promise<Scope[]> {
  const { tx, run, deps, recorder } = advance;
  const approvalId = deps.newId('apr');
  const dueInMs = wait.timeoutMs;
  const stepRunId = await begin(command, advance, { reason: 'approval', key: approvalId, dueInMs });
  const { stepId, item, round } = command;
  await tx.insertApproval({
    projectId: run.projectId,
    approvalId,
    runId: run.runId,
    stepRunId,
    stepId,
    item,
    round,
    callNo: null,
    ordinal: null,
    kind: 'step',
    prompt: wait.prompt,
    form: wait.form,
    tool: null,
    arguments: null,
    dueInMs,
  });
  recorder.ofStep(command, 'ApprovalRequested', [approvalId], {
    approval_id: approvalId,
    kind: 'step',
    prompt: wait.prompt,
    form: wait.form,
    tool: null,
    arguments: null,
    call_no: null,
    ordinal: null,
    due_at: await dueAt(tx, dueInMs),
  });
  await tx.addWait(run.projectId, stepRunId, { kind: 'approval', key: approvalId, dueInMs });
  return [];
}

async function openSignal(command: OpenCommand, wait: WaitFor<'signal'>, advance: Advance): Promise<Scope[]> {
  const { tx, run, definition } = advance;
  const waitKey = signalWaitKey(wait.signal, wait.key);
  const key = signalLabel(wait.signal, wait.key);
  const stepRunId = await begin(command, advance, { reason: 'signal', key, dueInMs: wait.timeoutMs });
  await tx.lockSignal(run.projectId, waitKey);
  const signal = await tx.takeSignal(run.projectId, waitKey, stepRunId);
  if (signal === null) {
    await tx.addWait(run.projectId, stepRunId, { kind: 'signal', key: waitKey, dueInMs: wait.timeoutMs });
    return [];
  }
  await succeedWait(advance, { ...command, stepRunId }, { signal });
  const scope = scopeOf(definition, command);
  return scope === null ? [] : [scope];
}

async function begin(
  command: OpenCommand,
  advance: Advance,
  { reason, key, dueInMs }: { reason: WaitReason; key: string | null; dueInMs: number | null },
): Promise<string> {
  const { tx, run, recorder } = advance;
  const id = await insertStep(command, advance, { status: 'waiting', reason, waitingKey: key });
  if (dueInMs !== null) await tx.updateStepRun(run.projectId, id, { dueInMs });
  recorder.ofStep(command, 'StepWaiting', ['open', run.generation], { reason, key, due_at: await dueAt(tx, dueInMs) });
  return id;
}
