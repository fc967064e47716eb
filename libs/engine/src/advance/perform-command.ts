import { bodyScope, findDefinedStep, isLoop, type Scope, type StepCommand } from '#libs/domain';
import { openWait } from '../waits/open-wait.js';
import type { Advance, Advanced } from './advance.js';
import { continueItems } from './end-body.js';
import { insertStep } from './insert-step.js';

/** Writes what a command says. Returns the scopes that must be decided now. */
export async function performCommand(command: StepCommand, advance: Advance, advanced: Advanced): Promise<Scope[]> {
  const { recorder, run, tx } = advance;
  const key = [run.generation];
  switch (command.type) {
    case 'queue_step':
      await queueStep(command, advance, advanced);
      recorder.ofStep(command, 'StepQueued', key, { kind: command.kind });
      return [];
    case 'skip_step':
      await insertStep(command, advance, { status: 'skipped' });
      recorder.ofStep(command, 'StepSkipped', key, { reason: command.reason });
      return [];
    case 'fail_step': {
      const id = await insertStep(command, advance, { status: 'queued' });
      await tx.updateStepRun(run.projectId, id, { status: 'failed', error: command.error, ended: true });
      recorder.ofStep(command, 'StepFailed', [1, run.generation], { attempt: 1, error: command.error });
      return [];
    }
    case 'open_wait':
      return openWait(command, advance);
    case 'expand_items':
      return expandItems(command, advance, advanced);
    case 'begin_rounds':
      return beginRounds(command, advance);
  }
}

/** Marked as dispatched in its first row where the queue has room, so that the row is not written twice before it is claimed. */
async function queueStep(
  command: Extract<StepCommand, { type: 'queue_step' }>,
  advance: Advance,
  advanced: Advanced,
): Promise<void> {
  const { admission, queue } = advance.deps;
  // Where others wait already, it is not its turn.
  const isDispatched = !admission.isCrowded && queue.reserve(1) > 0;
  const stepRunId = await insertStep(command, advance, { status: 'queued', isDispatched });
  if (isDispatched) advanced.dispatched.push({ stepRunId, dispatchNo: 1, priority: advance.run.priority });
  else advanced.runnable.push(stepRunId);
}

async function expandItems(
  command: Extract<StepCommand, { type: 'expand_items' }>,
  advance: Advance,
  advanced: Advanced,
): Promise<Scope[]> {
  const { tx, run, recorder } = advance;
  const stepRunId = await openLoop(command, advance, null);
  recorder.ofStep(command, 'ItemsExpanded', [run.generation], { items: [...command.items] });
  const loop = { projectId: run.projectId, stepRunId };
  await tx.insertItems(loop, command.items);
  return continueItems(advance, advanced, command);
}

async function beginRounds(
  command: Extract<StepCommand, { type: 'begin_rounds' }>,
  advance: Advance,
): Promise<Scope[]> {
  await openLoop(command, advance, '0');
  const step = findDefinedStep(advance.definition, command.stepId)?.step;
  return step === undefined || !isLoop(step) ? [] : [bodyScope(step, command, 0)];
}

/** `key`: the round that is under way. */
async function openLoop(
  command: Extract<StepCommand, { type: 'expand_items' | 'begin_rounds' }>,
  advance: Advance,
  key: string | null,
): Promise<string> {
  const { run, recorder } = advance;
  const id = await insertStep(command, advance, { status: 'waiting', reason: 'children', waitingKey: key });
  recorder.ofStep(command, 'StepQueued', [run.generation], { kind: command.kind });
  recorder.ofStep(command, 'StepWaiting', ['open', run.generation], { reason: 'children', key, due_at: null });
  return id;
}
