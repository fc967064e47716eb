import { renderTemplate } from '../pipeline/template.js';
import type { ExpressionLanguage, ExpressionVariables } from '../pipeline/expression-language.js';
import type { PipelineDefinition } from '../pipeline/pipeline-definition.js';
import type { PipelineStep } from '../pipeline/pipeline-step.js';
import type { RunError } from '../events/run-events.js';
import type { Json } from '../json.js';
import { pipelineVariables } from '../pipeline/variables.js';
import { findStep, type RunState, type StepPlace, type StepState } from './run-state.js';
import { isEndedRun, isEndedStep } from './run-status.js';

/** What must happen next; the engine performs them in this order in one transaction. */
export type Command =
  | ({ type: 'queue_step'; kind: string } & StepPlace)
  | ({ type: 'skip_step'; kind: string; reason: 'when_false' | 'dependency_skipped' | 'dependency_failed' } & StepPlace)
  /** The step could not even start: its `when` cannot be evaluated. */
  | ({ type: 'fail_step'; kind: string; error: RunError } & StepPlace)
  | ({ type: 'cancel_step'; kind: string } & StepPlace)
  | { type: 'succeed_run'; output: Json }
  | { type: 'fail_run'; error: RunError }
  | { type: 'dead_letter_run'; error: RunError }
  | { type: 'cancel_run' };

export type DecideContext = {
  readonly definition: PipelineDefinition;
  readonly language: ExpressionLanguage;
  /** The value of `run` in expressions. */
  readonly run: Json;
};

/**
 * The whole next move of a run, to its fixed point: a skip may make another step runnable. Deciding again after the
 * commands were performed gives no command, so advancing is idempotent.
 *
 * Rules: a step starts as soon as its own dependencies are done; a skipped dependency skips its dependants unless
 * `join: any`; a failing step halts its dependants, other branches finish, then the run fails; `on_error: continue`
 * makes a failed step count as done with the output null; `on_error: { goto }` runs another step instead.
 */
export function decideNext(state: RunState, context: DecideContext): Command[] {
  if (isEndedRun(state.status)) return [];
  if (state.cancelRequested) return decideCancel(state);
  const commands: Command[] = [];
  let current = state;
  for (const step of inDependencyOrder(context.definition.steps)) {
    if (findStep(current, step.id) !== null) continue;
    const command = decideStep(step, current, context);
    if (command === null) continue;
    commands.push(command);
    current = { ...current, steps: [...current.steps, stateAfter(command, step)] };
  }
  const end = decideEnd(current, context);
  return end === null ? commands : [...commands, end];
}

/** Waiting and queued steps are cancelled at once; running ones end at their next turn boundary, then the run does. */
function decideCancel(state: RunState): Command[] {
  const commands: Command[] = [];
  for (const step of state.steps) {
    if (step.status === 'queued' || step.status === 'waiting' || step.status === 'pending') {
      commands.push({ type: 'cancel_step', kind: step.kind, stepId: step.stepId, item: step.item, round: step.round });
    }
  }
  if (!state.steps.some((step) => step.status === 'running')) commands.push({ type: 'cancel_run' });
  return commands;
}

type StepCommand = Extract<Command, { type: 'queue_step' | 'skip_step' | 'fail_step' }>;

function decideStep(step: PipelineStep, state: RunState, context: DecideContext): StepCommand | null {
  const place = { stepId: step.id, item: null, round: 0, kind: step.kind };
  const readiness = readinessOf(step, state, context);
  switch (readiness) {
    case 'not_yet':
      return null;
    case 'dependency_skipped':
    case 'dependency_failed':
      return { type: 'skip_step', reason: readiness, ...place };
    case 'ready':
      return decideWhen(step, state, context, place);
  }
}

function decideWhen(
  step: PipelineStep,
  state: RunState,
  context: DecideContext,
  place: StepPlace & { kind: string },
): StepCommand {
  if (step.when === null) return { type: 'queue_step', ...place };
  const result = context.language.evaluate(step.when, variablesOf(state, context));
  if (!result.ok)
    return {
      type: 'fail_step',
      error: { code: result.code, detail: `when: ${result.detail}`, step_id: step.id },
      ...place,
    };
  if (typeof result.value !== 'boolean') {
    const detail = `when gave ${JSON.stringify(result.value)?.slice(0, 80) ?? 'nothing'}, expected true or false; compare with == or use has()`;
    return { type: 'fail_step', error: { code: 'when_not_boolean', detail, step_id: step.id }, ...place };
  }
  return result.value ? { type: 'queue_step', ...place } : { type: 'skip_step', reason: 'when_false', ...place };
}

type Readiness = 'not_yet' | 'ready' | 'dependency_skipped' | 'dependency_failed';

function readinessOf(step: PipelineStep, state: RunState, context: DecideContext): Readiness {
  const led = leadIn(step, state, context);
  if (led !== 'ready') return led;
  const outcomes = step.dependsOn.map((id) => outcomeOf(id, state, context));
  const failed = outcomes.includes('failed');
  if (step.join === 'any' && outcomes.length > 0) {
    if (outcomes.includes('outstanding')) return 'not_yet';
    if (outcomes.includes('done')) return 'ready';
    return failed ? 'dependency_failed' : 'dependency_skipped';
  }
  if (failed) return 'dependency_failed';
  if (outcomes.includes('skipped')) return 'dependency_skipped';
  return outcomes.includes('outstanding') ? 'not_yet' : 'ready';
}

/** A step that others name in `on_error: { goto }` runs when one of them failed, and is skipped when none did. */
function leadIn(step: PipelineStep, state: RunState, context: DecideContext): Readiness {
  const sources = context.definition.steps.filter(
    ({ onError }) => onError.action === 'goto' && onError.stepId === step.id,
  );
  if (sources.length === 0) return 'ready';
  const states = sources.map(({ id }) => findStep(state, id));
  if (states.some((source) => source !== null && isFailure(source))) return 'ready';
  return states.every((source) => source !== null && isEndedStep(source.status)) ? 'dependency_skipped' : 'not_yet';
}

function outcomeOf(
  stepId: string,
  state: RunState,
  context: DecideContext,
): 'outstanding' | 'done' | 'skipped' | 'failed' {
  const step = findStep(state, stepId);
  if (step === null || !isEndedStep(step.status)) return 'outstanding';
  if (step.status === 'succeeded') return 'done';
  if (step.status === 'skipped') return 'skipped';
  return errorActionOf(stepId, context) === 'continue' ? 'done' : 'failed';
}

function errorActionOf(stepId: string, context: DecideContext): 'fail' | 'continue' | 'goto' {
  return context.definition.steps.find((step) => step.id === stepId)?.onError.action ?? 'fail';
}

function decideEnd(state: RunState, context: DecideContext): Command | null {
  const { steps } = context.definition;
  const allEnded = steps.every((step) => {
    const found = findStep(state, step.id);
    return found !== null && isEndedStep(found.status);
  });
  if (!allEnded) return null;
  const unhandled = state.steps.filter((step) => isFailure(step) && errorActionOf(step.stepId, context) === 'fail');
  const dead = unhandled.find((step) => step.status === 'dead_letter');
  if (dead !== undefined) return { type: 'dead_letter_run', error: errorOf(dead) };
  const first = unhandled[0];
  if (first !== undefined) return { type: 'fail_run', error: errorOf(first) };
  return decideOutput(state, context);
}

const isFailure = (step: StepState): boolean =>
  step.status === 'failed' ||
  step.status === 'timed_out' ||
  step.status === 'dead_letter' ||
  step.status === 'cancelled';

function errorOf(step: StepState): RunError {
  const error = step.error ?? { code: 'step_cancelled', detail: `step ${step.stepId} was cancelled` };
  return { ...error, step_id: step.stepId };
}

/** The rendered `output`, else the output of the document's last step. */
function decideOutput(state: RunState, context: DecideContext): Command {
  const { definition, language } = context;
  if (definition.output === null) {
    const last = definition.steps.at(-1);
    return { type: 'succeed_run', output: last === undefined ? null : (findStep(state, last.id)?.output ?? null) };
  }
  const rendered = renderTemplate(definition.output, variablesOf(state, context), language);
  if (rendered.ok) return { type: 'succeed_run', output: rendered.value };
  return { type: 'fail_run', error: { code: rendered.code, detail: `output: ${rendered.detail}`, step_id: null } };
}

/** Roots of expressions: inputs, steps, run; absent inputs and outputs of steps without one are null. */
export function variablesOf(state: RunState, context: DecideContext): ExpressionVariables {
  return pipelineVariables(context.definition, {
    inputs: state.inputs,
    run: context.run,
    steps: new Map(
      state.steps
        .filter((step) => step.item === null)
        .map((step) => [step.stepId, { status: step.status, output: step.output }]),
    ),
  });
}

function stateAfter(command: StepCommand, step: PipelineStep): StepState {
  const base = { stepId: step.id, item: null, round: 0, kind: step.kind, reason: null, attempt: 1, output: null };
  switch (command.type) {
    case 'queue_step':
      return { ...base, status: 'queued', error: null };
    case 'skip_step':
      return { ...base, status: 'skipped', error: null };
    case 'fail_step':
      return { ...base, status: 'failed', error: command.error };
  }
}

/** Dependencies first, else document order, so that one pass finds the fixed point. */
function inDependencyOrder(steps: readonly PipelineStep[]): PipelineStep[] {
  const ordered: PipelineStep[] = [];
  const placed = new Set<string>();
  const byId = new Map(steps.map((step) => [step.id, step]));
  const place = (step: PipelineStep): void => {
    if (placed.has(step.id)) return;
    placed.add(step.id);
    const leading = steps.filter(({ onError }) => onError.action === 'goto' && onError.stepId === step.id);
    for (const id of [...step.dependsOn, ...leading.map((source) => source.id)]) {
      const dependency = byId.get(id);
      if (dependency !== undefined) place(dependency);
    }
    ordered.push(step);
  };
  steps.forEach(place);
  return ordered;
}
