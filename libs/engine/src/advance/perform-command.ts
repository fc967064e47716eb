import { bodyScope, findDefinedStep, isLoop, lastRoundOf, type Scope, type StepCommand } from '#libs/domain';
import { openWait } from '../waits/open-wait.js';
import type { Advance, Advanced } from './advance.js';
import { closeStep } from './cancel-steps.js';
import { continueItems } from './end-body.js';
import { insertStep } from './insert-step.js';
import { stepRunId } from './step-run-id.js';

/** Writes what a command says. Returns the scopes that must be decided now. */
export async function performCommand(command: StepCommand, advance: Advance, advanced: Advanced): Promise<Scope[]> {
  const { recorder, run, tx } = advance;
  const key = [run.generation];
  switch (command.type) {
    case 'queue_step':
      await queueStep(command, advance, advanced);
      recorder.ofStep(command, 'StepQueued', key, { kind: command.kind, attempt: command.attempt });
      return [];
    case 'skip_step':
      await closeInside(command, advance, advanced);
      await insertStep(command, advance, { status: 'skipped' });
      recorder.ofStep(command, 'StepSkipped', key, { reason: command.reason });
      return [];
    case 'fail_step': {
      const { attempt, error } = command;
      await closeInside(command, advance, advanced);
      const id = await insertStep(command, advance, { status: 'queued' });
      await tx.updateStepRun(run.projectId, id, { status: 'failed', error, ended: true });
      recorder.ofStep(command, 'StepFailed', [attempt, run.generation], { attempt, error });
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

/** What a loop that does not go on after a retry leaves in its body. */
async function closeInside(command: StepCommand, { tx, run, ...advance }: Advance, advanced: Advanced): Promise<void> {
  if (command.attempt === 1) return;
  const row = await tx.lockStepRun(run.projectId, stepRunId(run.runId, command));
  if (row !== null) await closeStep({ tx, run, ...advance }, advanced, row);
}

/**
 * Claimed in its first row where its worker may go on with it, or marked as dispatched there where the queue has room, so that the
 * row is not written again before it is claimed. Where others wait already, it is not its turn; how often a step that was retried
 * was dispatched says its row.
 */
async function queueStep(
  command: Extract<StepCommand, { type: 'queue_step' }>,
  advance: Advance,
  advanced: Advanced,
): Promise<void> {
  const { admission } = advance.deps;
  const isItsTurn = command.attempt === 1 && !admission.isCrowded;
  const { lease } = advance;
  if (isItsTurn && lease !== undefined && advanced.next === null) {
    advanced.next = await insertStep(command, advance, { status: 'running', lease });
    return;
  }
  const isDispatched = isItsTurn && hasPlace(advance, advanced);
  const id = await insertStep(command, advance, { status: 'queued', isDispatched });
  if (isDispatched) advanced.dispatched.push({ stepRunId: id, dispatchNo: 1, priority: advance.run.priority });
  else advanced.runnable.push(id);
}

/** The first step that follows another one takes its place, since the worker of that one takes a job for it. */
function hasPlace({ deps: { queue }, endsStep }: Advance, { next, dispatched }: Advanced): boolean {
  if (endsStep !== true || next !== null || dispatched.length > 0) return queue.reserve(1) > 0;
  queue.handOn();
  return true;
}

async function expandItems(
  command: Extract<StepCommand, { type: 'expand_items' }>,
  advance: Advance,
  advanced: Advanced,
): Promise<Scope[]> {
  const { tx, run, recorder } = advance;
  const loop = { projectId: run.projectId, stepRunId: await openLoop(command, advance, null) };
  const known = command.attempt === 1 ? [] : await tx.items(loop);
  if (known.length === 0) {
    recorder.ofStep(command, 'ItemsExpanded', [run.generation], { items: [...command.items] });
    await tx.insertItems(loop, command.items);
  } else {
    // A loop that goes on after a retry keeps its elements, and what those that succeeded gave.
    const pending = known.filter(({ status }) => status !== 'succeeded').map(({ item }) => item);
    recorder.ofStep(command, 'ItemsReopened', [run.generation], { running: [], pending });
    await tx.reopenItems(loop, { running: [], pending });
  }
  return continueItems(advance, advanced, command);
}

/** After a retry it goes on with the round that it was in. */
async function beginRounds(
  command: Extract<StepCommand, { type: 'begin_rounds' }>,
  advance: Advance,
): Promise<Scope[]> {
  const { tx, run, definition } = advance;
  const known = command.attempt === 1 ? [] : await tx.stepRuns(run.projectId, run.runId);
  const round = lastRoundOf(definition, known, command);
  await openLoop(command, advance, String(round));
  const step = findDefinedStep(definition, command.stepId)?.step;
  return step === undefined || !isLoop(step) ? [] : [bodyScope(step, command, round)];
}

/** `key`: the round that is under way. */
async function openLoop(
  command: Extract<StepCommand, { type: 'expand_items' | 'begin_rounds' }>,
  advance: Advance,
  key: string | null,
): Promise<string> {
  const { run, recorder } = advance;
  const id = await insertStep(command, advance, { status: 'waiting', reason: 'children', waitingKey: key });
  recorder.ofStep(command, 'StepQueued', [run.generation], { kind: command.kind, attempt: command.attempt });
  recorder.ofStep(command, 'StepWaiting', ['open', run.generation], { reason: 'children', key, due_at: null });
  return id;
}
