import type { PipelineDefinition } from '../pipeline/pipeline-definition.js';
import { findDefinedStep } from '../pipeline/graph.js';
import { isSamePlace, type StepPlace } from './run-state.js';
import type { StepStatus } from './run-status.js';
import { containerPlace, scopeOf, scopesAround, type Scope } from './scope.js';

type Executed = StepPlace & { readonly status: StepStatus };

/**
 * The steps of an ended run that the `retry` verb begins again: all that did not succeed. What stands in a loop, an element
 * or a round that is over and succeeded stays as it is (it may have gone on over failures), and so does what the pipeline
 * does not have any more.
 */
export function stepsToRetry<S extends Executed>(
  definition: PipelineDefinition,
  steps: readonly S[],
  hasSucceeded: (loop: S, item: number) => boolean,
): S[] {
  const rounds = lastRounds(definition, steps);
  const known = new Map(steps.map((step) => [placeKey(step), step]));
  const isOver = (scope: Scope): boolean => {
    const loop = known.get(loopKey(scope));
    if (loop === undefined || scope.container === null) return false;
    if (loop.status === 'succeeded') return true;
    if (scope.container.kind === 'for_each') return hasSucceeded(loop, scope.item ?? 0);
    return scope.round < (rounds.get(placeKey(loop)) ?? 0);
  };
  return steps.filter(
    (step) =>
      step.status !== 'succeeded' &&
      findDefinedStep(definition, step.stepId) !== null &&
      !bodiesOf(definition, step).some(isOver),
  );
}

/** The round in which a `repeat` stands, as the steps in it tell; 0: it has not begun. */
export function lastRoundOf(definition: PipelineDefinition, steps: readonly StepPlace[], loop: StepPlace): number {
  return lastRounds(definition, steps).get(placeKey(loop)) ?? 0;
}

/** Whether a step stands in the body of a loop, however deep. */
export function isInsideLoop(definition: PipelineDefinition, inner: StepPlace, loop: StepPlace): boolean {
  return bodiesOf(definition, inner).some((scope) => {
    const place = containerPlace(scope);
    return place !== null && isSamePlace(place, loop);
  });
}

function lastRounds(definition: PipelineDefinition, steps: readonly StepPlace[]): Map<string, number> {
  const rounds = new Map<string, number>();
  for (const step of steps)
    for (const scope of bodiesOf(definition, step)) {
      if (scope.container?.kind !== 'repeat') continue;
      const key = loopKey(scope);
      rounds.set(key, Math.max(rounds.get(key) ?? 0, scope.round));
    }
  return rounds;
}

function bodiesOf(definition: PipelineDefinition, step: StepPlace): Scope[] {
  const scope = scopeOf(definition, step);
  return scope === null
    ? []
    : [scope, ...scopesAround(definition, scope)].filter(({ container }) => container !== null);
}

function loopKey(scope: Scope): string {
  const place = containerPlace(scope);
  return place === null ? '' : placeKey(place);
}

const placeKey = ({ stepId, item, round }: StepPlace): string => `${stepId}/${item ?? ''}/${round}`;
