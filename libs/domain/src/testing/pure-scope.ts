import type { EventData, EventType } from '../events/event-catalogue.js';
import type { Json, JsonObject } from '../json.js';
import { findDefinedStep } from '../pipeline/graph.js';
import type { PipelineDefinition } from '../pipeline/pipeline-definition.js';
import { roundOutputs } from '../run/decide-loop.js';
import type { Surroundings } from '../run/decide-next.js';
import type { ItemState, RunState, StepPlace, StepState } from '../run/run-state.js';
import { stepsToRetry } from '../run/steps-to-retry.js';
import { bodyScope, containerPlace, isLoop, scopesAround, type Scope } from '../run/scope.js';

/** States of the steps of one scope. */
export function statesOf(
  state: RunState,
  { steps, item, round }: Pick<Scope, 'steps' | 'item' | 'round'>,
): StepState[] {
  const ids = new Set(steps.map(({ id }) => id));
  return state.steps.filter((step) => ids.has(step.stepId) && step.item === item && step.round === round);
}

export function itemsOf(state: RunState, { stepId, round }: StepPlace): ItemState[] {
  return state.items.filter((item) => item.stepId === stepId && item.round === round);
}

/** What a scope's expressions see around it, as the engine's `loadScope` reads it. */
export function surroundingsOf(state: RunState, definition: PipelineDefinition, scope: Scope): Surroundings {
  const outer = scopesAround(definition, scope);
  let around: Surroundings = { steps: outer.flatMap((one) => statesOf(state, one)) };
  for (const one of [scope, ...outer]) {
    const place = containerPlace(one);
    if (one.container === null || place === null) continue;
    if (one.container.kind === 'repeat') {
      const before = statesOf(state, { ...one, round: one.round - 1 });
      around = { ...around, last: one.round === 0 ? null : roundOutputs(one.container, before) };
    } else {
      const index = one.item ?? 0;
      const value = itemsOf(state, place).find(({ item }) => item === index)?.value ?? null;
      around = { ...around, item: { value, index } };
    }
  }
  return around;
}

/** Bodies of loops that have begun and not ended. */
export function scopesUnderWay(
  state: RunState,
  definition: PipelineDefinition,
  roundOf: (loop: StepPlace) => number,
): Scope[] {
  return state.steps.flatMap((loop) => {
    const step = findDefinedStep(definition, loop.stepId)?.step;
    if (loop.status !== 'waiting' || step === undefined || !isLoop(step)) return [];
    if (step.kind === 'repeat') return [bodyScope(step, loop, roundOf(loop))];
    return itemsOf(state, loop).flatMap(({ item, status }) =>
      status === 'running' ? [bodyScope(step, loop, item)] : [],
    );
  });
}

export function placesToRetry(state: RunState, definition: PipelineDefinition): EventData<'RunRetried'>['steps'] {
  const hasSucceeded = (loop: StepState, item: number): boolean => itemsOf(state, loop)[item]?.status === 'succeeded';
  return stepsToRetry(definition, state.steps, hasSucceeded).map(({ stepId, item, round }) => ({
    ...{ step_id: stepId, item, round },
  }));
}

/** A loop that goes on after a retry keeps its elements. */
export function expansionOf(
  state: RunState,
  place: StepPlace,
  values: readonly Json[],
): [EventType, EventData<EventType>] {
  const items = itemsOf(state, place);
  if (items.length === 0) return ['ItemsExpanded', { items: [...values] }];
  const pending = items.filter(({ status }) => status !== 'succeeded').map(({ item }) => item);
  return ['ItemsReopened', { running: [], pending }];
}

export const created = ({ name }: PipelineDefinition, inputs: JsonObject): EventData<'RunCreated'> => ({
  ...{ pipeline: { name, version: 1 }, inputs, tags: [], metadata: {}, priority: 0 },
  ...{ deadline_at: null, parent: null, spend_limit: null },
});
