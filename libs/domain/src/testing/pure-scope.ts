import type { PipelineDefinition } from '../pipeline/pipeline-definition.js';
import { roundOutputs } from '../run/decide-loop.js';
import type { Surroundings } from '../run/decide-next.js';
import { isSamePlace, type ItemState, type RunState, type StepPlace, type StepState } from '../run/run-state.js';
import { containerPlace, scopeOf, scopesAround, type Scope } from '../run/scope.js';

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

/** Whether a step belongs to the loop that stands at a place, directly or in a loop of it. */
export function isInside(definition: PipelineDefinition, inner: StepPlace, loop: StepPlace): boolean {
  const scope = scopeOf(definition, inner);
  const scopes = scope === null ? [] : [scope, ...scopesAround(definition, scope)];
  return scopes.some((one) => {
    const place = containerPlace(one);
    return place !== null && isSamePlace(place, loop);
  });
}
