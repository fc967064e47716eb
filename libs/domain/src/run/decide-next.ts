import type { RunError } from '../events/run-events.js';
import type { Json, JsonObject } from '../json.js';
import type { ExpressionLanguage, ExpressionVariables } from '../pipeline/expression-language.js';
import { stepOrder } from '../pipeline/graph.js';
import type { PipelineDefinition } from '../pipeline/pipeline-definition.js';
import type { PipelineStep, StepOutcome } from '../pipeline/pipeline-step.js';
import { renderTemplate } from '../pipeline/template.js';
import { pipelineVariables } from '../pipeline/variables.js';
import type { ScopeEnd, StepCommand } from './command.js';
import { openStep, type OpeningPlace } from './open-step.js';
import { errorActionOf, isFailure, readinessOf, type Siblings } from './readiness.js';
import type { StepState } from './run-state.js';
import { isEndedStep } from './run-status.js';
import type { Scope } from './scope.js';

/*
 * The laws of a run. `decide-next.laws.spec.ts` plays thousands of random orders of what may happen over random pipelines
 * without a database, `test/integration/engine/run-laws.spec.ts` the engine itself on Postgres; both are watched by
 * `testing/run-watcher.ts`, which knows only the events.
 *
 * S1  A step ends at most once per dispatch: nothing is said of a step that has ended, until the run is retried.
 * S2  What has ended stays as it is, until the run is retried (a dead letter may be discarded: it and its run then failed).
 * S3  A run ends only when all of its steps have, and but for a cancel or a time-out only when every step was decided.
 * S4  A run that has not ended has something outstanding, and its status says what: `running` is never for nothing.
 * S5  A cancel wins: nothing begins after it, what runs may end, and the run ends as cancelled (its deadline: timed out).
 * S6  Only a failure takes an attempt, one at a time and no more than the policy has; a release, a lost lease, a wait or a
 *     pause takes none.
 * S7  A step begins when what it depends on has let it, and is skipped when nothing can any more; after a retry as at first.
 * S8  Loops keep their bounds, and what is in them ends with them.
 * S9  Deciding is idempotent, and looking where something changed finds all that looking everywhere does.
 * S10 What a run comes to depends on how its steps end, not on the order in which they do.
 * S11 What cannot go on says for what, since when, and what one can do: `blocked_on`, explain.
 * S12 Whatever has not ended has somebody who moves it next: the outbox, a job, a lease, a wait that is stored, a line.
 * S13 The projections say what the events say.
 */

export type DecideContext = {
  readonly definition: PipelineDefinition;
  readonly language: ExpressionLanguage;
  /** The value of `run` in expressions. */
  readonly run: Json;
  readonly inputs: JsonObject;
};

/** What a scope's expressions see beside its own steps. */
export type Surroundings = {
  /** States of the steps of the scopes around. */
  readonly steps: readonly StepState[];
  readonly item?: { readonly value: Json; readonly index: number };
  readonly last?: JsonObject | null;
};

export type Decision = { readonly commands: readonly StepCommand[]; readonly end: ScopeEnd | null };

/**
 * The whole next move of a scope, to its fixed point: a skip may make another step runnable. Deciding again after the
 * commands were performed gives none, so advancing is idempotent.
 *
 * Rules: a step starts as soon as its own dependencies are done; a skipped dependency skips its dependants unless
 * `join: any`; a failing step halts its dependants, other branches finish, then the scope fails; `on_error: continue`
 * makes a failed step count as done with the output null; `on_error: { goto }` runs another step instead.
 */
export function decideNext(
  scope: Scope,
  own: readonly StepState[],
  around: Surroundings,
  context: DecideContext,
): Decision {
  const states = new Map(own.map((state) => [state.stepId, state]));
  const siblings: Siblings = { steps: scope.steps, of: (stepId) => states.get(stepId) ?? null };
  const variables = (): ExpressionVariables => scopeVariables([...states.values()], around, context);
  const commands: StepCommand[] = [];
  for (const step of stepOrder(scope.steps)) {
    if ((states.get(step.id)?.status ?? 'pending') !== 'pending') continue;
    const command = decideStep(step, scope, { siblings, variables, language: context.language });
    if (command === null) continue;
    commands.push(command);
    states.set(step.id, stateAfter(command));
  }
  return { commands, end: endOf(scope, siblings, variables, context.language) };
}

/** Roots of expressions of a scope: inputs, steps, run, and `item` and `last` where they exist. */
export function scopeVariables(
  own: readonly StepState[],
  around: Surroundings,
  context: Pick<DecideContext, 'definition' | 'inputs' | 'run'>,
): ExpressionVariables {
  const outcomes = new Map<string, StepOutcome>();
  for (const state of around.steps) outcomes.set(state.stepId, state);
  for (const state of own) outcomes.set(state.stepId, state);
  return pipelineVariables(context.definition, {
    inputs: context.inputs,
    run: context.run,
    steps: outcomes,
    ...(around.item === undefined ? {} : { item: around.item }),
    ...(around.last === undefined ? {} : { last: around.last }),
  });
}

type Deciding = {
  readonly siblings: Siblings;
  readonly variables: () => ExpressionVariables;
  readonly language: ExpressionLanguage;
};

function decideStep(step: PipelineStep, scope: Scope, deciding: Deciding): StepCommand | null {
  const attempt = deciding.siblings.of(step.id)?.attempt ?? 1;
  const place = { stepId: step.id, item: scope.item, round: scope.round, kind: step.kind, attempt };
  const readiness = readinessOf(step, deciding.siblings);
  switch (readiness) {
    case 'not_yet':
      return null;
    case 'dependency_skipped':
    case 'dependency_failed':
      return { type: 'skip_step', reason: readiness, ...place };
    case 'ready':
      return decideReady(step, place, deciding);
  }
}

function decideReady(step: PipelineStep, place: OpeningPlace, { variables, language }: Deciding): StepCommand {
  if (step.when === null) return openStep(step, { place, variables, language });
  const result = language.evaluate(step.when, variables());
  const failed = (code: string, detail: string): StepCommand => ({
    type: 'fail_step',
    error: { code, detail, step_id: step.id },
    ...place,
  });
  if (!result.ok) return failed(result.code, `when: ${result.detail}`);
  if (typeof result.value !== 'boolean') {
    const shown = JSON.stringify(result.value)?.slice(0, 80) ?? 'nothing';
    return failed('when_not_boolean', `when gave ${shown}, expected true or false; compare with == or use has()`);
  }
  return result.value
    ? openStep(step, { place, variables, language })
    : { type: 'skip_step', reason: 'when_false', ...place };
}

function endOf(
  scope: Scope,
  siblings: Siblings,
  variables: () => ExpressionVariables,
  language: ExpressionLanguage,
): ScopeEnd | null {
  const states: StepState[] = [];
  for (const step of scope.steps) {
    const state = siblings.of(step.id);
    if (state === null || !isEndedStep(state.status)) return null;
    states.push(state);
  }
  const unhandled = states.filter((state) => isFailure(state) && errorActionOf(state.stepId, scope.steps) === 'fail');
  const dead = unhandled.find((state) => state.status === 'dead_letter');
  if (dead !== undefined) return { kind: 'dead_letter', error: errorOf(dead) };
  const first = unhandled[0];
  if (first !== undefined) return { kind: 'failed', error: errorOf(first) };
  if (scope.output === null) return { kind: 'succeeded', output: states.at(-1)?.output ?? null };
  const rendered = renderTemplate(scope.output, variables(), language);
  if (rendered.ok) return { kind: 'succeeded', output: rendered.value };
  const where = scope.container === null ? 'output' : `output of the body of ${scope.container.id}`;
  const error = { code: rendered.code, detail: `${where}: ${rendered.detail}`, step_id: scope.container?.id ?? null };
  return { kind: 'failed', error };
}

function errorOf(step: StepState): RunError {
  const error = step.error ?? { code: 'step_cancelled', detail: `step ${step.stepId} was cancelled` };
  return { ...error, step_id: step.stepId };
}

/** The state of a step right after its command. */
function stateAfter(command: StepCommand): StepState {
  const { stepId, item, round, kind, attempt } = command;
  const base = { stepId, item, round, kind, attempt, reason: null, output: null, error: null };
  switch (command.type) {
    case 'queue_step':
      return { ...base, status: 'queued' };
    case 'open_wait':
    case 'expand_items':
    case 'begin_rounds':
      return { ...base, status: 'waiting' };
    case 'skip_step':
      return { ...base, status: 'skipped' };
    case 'fail_step':
      return { ...base, status: 'failed', error: command.error };
  }
}
