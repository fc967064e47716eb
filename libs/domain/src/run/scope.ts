import { findDefinedStep } from '../pipeline/graph.js';
import type { PipelineDefinition } from '../pipeline/pipeline-definition.js';
import type { PipelineStep } from '../pipeline/pipeline-step.js';
import type { Template } from '../pipeline/template.js';
import type { StepPlace } from './run-state.js';

/**
 * A list of steps that is decided as one: the document's, or a body's for one item of a `for_each` or one round of a
 * `repeat`. All of its steps have the same item and round. `container`: the step whose body it is.
 */
export type Scope = {
  readonly steps: readonly PipelineStep[];
  /** null: the output of the last step. */
  readonly output: Template;
  readonly item: number | null;
  readonly round: number;
  readonly container: LoopStep | null;
};

export type ForEachStep = Extract<PipelineStep, { kind: 'for_each' }>;
export type RepeatStep = Extract<PipelineStep, { kind: 'repeat' }>;
export type LoopStep = ForEachStep | RepeatStep;

export const isLoop = (step: PipelineStep): step is LoopStep => step.kind === 'for_each' || step.kind === 'repeat';

export function topScope(definition: PipelineDefinition): Scope {
  return { steps: definition.steps, output: definition.output, item: null, round: 0, container: null };
}

/** The body of a loop for one item (`for_each`) or one round (`repeat`) of the loop that stands at `at`. */
export function bodyScope(loop: LoopStep, at: Pick<StepPlace, 'item' | 'round'>, index: number): Scope {
  const { steps, output } = loop.body;
  const place = loop.kind === 'for_each' ? { item: index, round: at.round } : { item: at.item, round: index };
  return { steps, output, ...place, container: loop };
}

/** The scope that a step is decided in; null when the definition has no such step. */
export function scopeOf(definition: PipelineDefinition, place: StepPlace): Scope | null {
  const found = findDefinedStep(definition, place.stepId);
  if (found === null) return null;
  const container = found.containers.at(-1);
  if (container === undefined || !isLoop(container)) return topScope(definition);
  const index = container.kind === 'for_each' ? (place.item ?? 0) : place.round;
  return bodyScope(container, place, index);
}

/** Where the loop stands whose body a scope is. Loops nest at most once, in the other kind, so one item and one round tell. */
export function containerPlace(scope: Scope): StepPlace | null {
  const { container, item, round } = scope;
  if (container === null) return null;
  return container.kind === 'for_each'
    ? { stepId: container.id, item: null, round }
    : { stepId: container.id, item, round: 0 };
}

/** The scopes around one, nearest first; the document's is the last. */
export function scopesAround(definition: PipelineDefinition, scope: Scope): readonly Scope[] {
  const place = containerPlace(scope);
  if (place === null) return [];
  const outer = scopeOf(definition, place);
  return outer === null ? [] : [outer, ...scopesAround(definition, outer)];
}
