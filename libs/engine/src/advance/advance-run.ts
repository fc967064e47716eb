import { v5 as uuidV5 } from 'uuid';
import {
  decideNext,
  effectiveStep,
  statusOfRun,
  type Command,
  type Json,
  type PipelineDefinition,
  type RunError,
  type RunState,
  type RunStatus,
  type StepPlace,
  type StepState,
} from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import type { RunPatch, RunRecord, RunTransaction, StepRunRecord } from '../ports/run-store.port.js';
import type { RunRecorder } from './run-recorder.js';

/** What to do once the transaction has committed. */
export type Advanced = {
  projectId: string;
  runId: string;
  streamId: string;
  /** Step runs that became runnable. */
  runnable: string[];
  ended: RunStatus | null;
};

export type Advance = {
  deps: EngineDeps;
  tx: RunTransaction;
  run: RunRecord;
  definition: PipelineDefinition;
  recorder: RunRecorder;
};

const STEP_RUN_NAMESPACE = 'b4d2c6c0-7a0e-4f6a-8f39-6f3f7a1f0c55';

/** One id for one place of a run, so that making a step runnable twice is the same row. */
export function stepRunId(runId: string, place: StepPlace): string {
  return `stp_${uuidV5(JSON.stringify([runId, place.stepId, place.item, place.round]), STEP_RUN_NAMESPACE)}`;
}

/**
 * Decides and performs the next move of a locked run: rows and events in the caller's transaction. Idempotent.
 * The caller flushes the recorder and calls `afterCommit`.
 */
export async function advanceRun(advance: Advance): Promise<Advanced> {
  const { deps, tx, run, definition } = advance;
  const state = runStateOf(run, await tx.stepRuns(run.projectId, run.runId));
  const commands = decideNext(state, { definition, language: deps.expressions, run: runVariables(run) });
  const advanced: Advanced = {
    projectId: run.projectId,
    runId: run.runId,
    streamId: run.streamId,
    runnable: [],
    ended: null,
  };
  for (const command of commands) await perform(command, advance, advanced);
  if (advanced.ended === null) await projectStatus(advance, state, commands);
  return advanced;
}

/** The value of `run` in expressions. */
export function runVariables(run: RunRecord): Json {
  return {
    id: run.runId,
    stream_id: run.streamId,
    pipeline: run.pipeline,
    version: run.pipelineVersion,
    created_at: run.createdAt,
    tags: run.tags,
    metadata: run.metadata,
  };
}

export function runStateOf(run: RunRecord, rows: readonly StepRunRecord[]): RunState {
  return {
    status: run.status,
    inputs: run.inputs,
    output: run.output,
    error: run.error,
    cancelRequested: run.cancelRequestedAt !== null,
    steps: rows.map(stepStateOf),
  };
}

function stepStateOf(row: StepRunRecord): StepState {
  const { stepId, item, round, kind, status, reason, attempt, output, error } = row;
  return { stepId, item, round, kind, status, reason, attempt, output, error };
}

async function perform(command: Command, advance: Advance, advanced: Advanced): Promise<void> {
  switch (command.type) {
    case 'queue_step':
      return queueStep(command, advance, advanced);
    case 'skip_step':
      return skipStep(command, advance);
    case 'fail_step':
      return failStep(command, advance);
    case 'cancel_step':
      return cancelStep(command, advance);
    case 'succeed_run':
      advance.recorder.ofRun('RunSucceeded', [advance.run.generation], { output: command.output });
      return endRun(advance, advanced, 'succeeded', { output: command.output });
    case 'fail_run':
      advance.recorder.ofRun('RunFailed', [advance.run.generation], { error: command.error });
      return endRun(advance, advanced, 'failed', { error: command.error });
    case 'dead_letter_run':
      advance.recorder.ofRun('RunDeadLettered', [advance.run.generation], { error: command.error });
      return endRun(advance, advanced, 'dead_letter', { error: command.error });
    case 'cancel_run':
      return endCancelled(advance, advanced);
  }
}

async function queueStep(command: StepPlace & { kind: string }, advance: Advance, advanced: Advanced): Promise<void> {
  const id = await insertStep(command, advance, 'queued');
  advance.recorder.ofStep(command, 'StepQueued', [advance.run.generation], { kind: command.kind });
  advanced.runnable.push(id);
}

async function skipStep(command: Extract<Command, { type: 'skip_step' }>, advance: Advance): Promise<void> {
  await insertStep(command, advance, 'skipped');
  advance.recorder.ofStep(command, 'StepSkipped', [advance.run.generation], { reason: command.reason });
}

async function failStep(command: Extract<Command, { type: 'fail_step' }>, advance: Advance): Promise<void> {
  const id = await insertStep(command, advance, 'queued');
  await advance.tx.updateStepRun(advance.run.projectId, id, { status: 'failed', error: command.error, ended: true });
  advance.recorder.ofStep(command, 'StepFailed', [1, advance.run.generation], { attempt: 1, error: command.error });
}

async function insertStep(
  place: StepPlace & { kind: string },
  { tx, run, definition }: Advance,
  status: 'queued' | 'skipped',
): Promise<string> {
  const id = stepRunId(run.runId, place);
  const { stepId, item, round, kind } = place;
  const timeoutMs = effectiveStep(definition, stepId)?.timeoutMs ?? null;
  await tx.insertStepRuns(run.projectId, [
    { stepRunId: id, runId: run.runId, stepId, item, round, kind, status, priority: run.priority, timeoutMs },
  ]);
  return id;
}

async function cancelStep(command: StepPlace & { kind: string }, { tx, run, recorder }: Advance): Promise<void> {
  const id = stepRunId(run.runId, command);
  await tx.removeWaits(run.projectId, id);
  await tx.updateStepRun(run.projectId, id, { status: 'cancelled', reason: null, ended: true });
  recorder.ofStep(command, 'StepCancelled', [run.generation], {});
  if (command.kind === 'agent')
    recorder.inConversation(command, 'ConversationInterrupted', ['cancelled', run.generation], { reason: 'cancelled' });
}

async function endCancelled(advance: Advance, advanced: Advanced): Promise<void> {
  const { run, recorder } = advance;
  // A run's own deadline ends it through the same cancel of its steps; only the last word differs.
  if (run.statusReason === 'run_timeout') {
    const error: RunError = {
      code: 'run_timeout',
      detail: `the run did not end by ${run.timeoutAt ?? 'its deadline'}; raise the pipeline's timeout or the run's deadline`,
      step_id: null,
    };
    recorder.ofRun('RunTimedOut', [run.generation], { error });
    return endRun(advance, advanced, 'timed_out', { error });
  }
  recorder.ofRun('RunCancelled', [run.generation], { reason: run.cancelReason });
  return endRun(advance, advanced, 'cancelled', {});
}

async function endRun({ tx, run }: Advance, advanced: Advanced, status: RunStatus, patch: RunPatch): Promise<void> {
  await tx.updateRun(run.projectId, run.runId, { ...patch, status, statusReason: null, ended: true });
  await tx.releaseStream(run);
  advanced.ended = status;
}

/** Keeps `running` and `waiting` true to the steps. */
async function projectStatus({ tx, run }: Advance, before: RunState, commands: readonly Command[]): Promise<void> {
  const queued = commands.some((command) => command.type === 'queue_step');
  const status = queued
    ? statusOfRun(run.status, [...before.steps, queuedStep])
    : statusOfRun(run.status, before.steps);
  if (status !== run.status) await tx.updateRun(run.projectId, run.runId, { status });
}

const queuedStep: StepState = {
  stepId: '',
  item: null,
  round: 0,
  kind: '',
  status: 'queued',
  reason: null,
  attempt: 1,
  output: null,
  error: null,
};
