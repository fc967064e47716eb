import type { RunError } from '../events/run-events.js';
import type { Json, JsonObject } from '../json.js';
import type { ExpressionLanguage, ExpressionVariables } from '../pipeline/expression-language.js';
import type { ScopeEnd } from './command.js';
import type { ItemStatus } from './run-state.js';
import type { ForEachStep, RepeatStep } from './scope.js';

/**
 * How many elements of a `for_each` wait, run and failed. Those that wait may be counted up to `max_parallel`, and of those that failed
 * it is enough to know that there is one: a loop over many must not count them all each time.
 */
export type OpenItems = { readonly [status in Extract<ItemStatus, 'pending' | 'running' | 'failed'>]: number };

export type ItemsDecision =
  /** Begin this many more elements, in their order, or as many as there are. 0: wait for those that run. */
  | { readonly next: 'start'; readonly count: number }
  /** Every element has ended; the output is `itemsOutput` of them. */
  | { readonly next: 'succeed' }
  /** `on_item_failure: fail`: those that run are cancelled, the others never begin. */
  | { readonly next: 'fail' };

export function decideItems(step: ForEachStep, counts: OpenItems): ItemsDecision {
  if (counts.failed > 0 && step.onItemFailure === 'fail') return { next: 'fail' };
  if (counts.pending + counts.running === 0) return { next: 'succeed' };
  return { next: 'start', count: Math.max(0, Math.min(counts.pending, step.maxParallel - counts.running)) };
}

export type EndedItem = { readonly status: ItemStatus; readonly output: Json; readonly error: RunError | null };

/**
 * The ordered list. `continue` leaves null where an element failed; `collect` tells how each ended:
 * `{status, output, error}`.
 */
export function itemsOutput(step: ForEachStep, items: readonly EndedItem[]): Json {
  if (step.onItemFailure !== 'collect') return items.map(({ output }) => output);
  return items.map(({ status, output, error }) => ({ status, output, error }));
}

export type RoundDecision =
  | { readonly next: 'round'; readonly round: number }
  | { readonly next: 'succeed'; readonly output: Json }
  | { readonly next: 'fail'; readonly error: RunError; readonly status: 'failed' | 'dead_letter' };

/**
 * After a round of a `repeat` has ended: another one, or the output of the last.
 * @param round the one that ended. @param variables what `until` sees: `last` and the body's steps are those of this round.
 */
export function decideRound(
  step: RepeatStep,
  round: number,
  ended: ScopeEnd,
  variables: () => ExpressionVariables,
  language: ExpressionLanguage,
): RoundDecision {
  if (ended.kind !== 'succeeded') return { next: 'fail', error: ended.error, status: ended.kind };
  const result = language.evaluate(step.until, variables());
  const failed = (code: string, detail: string): RoundDecision => ({
    next: 'fail',
    status: 'failed',
    error: { code, detail: `until: ${detail}`, step_id: step.id },
  });
  if (!result.ok) return failed(result.code, result.detail);
  if (typeof result.value !== 'boolean') {
    const shown = JSON.stringify(result.value)?.slice(0, 80) ?? 'nothing';
    return failed('until_not_boolean', `gave ${shown}, expected true or false`);
  }
  if (result.value || round + 1 >= step.maxIterations) return { next: 'succeed', output: ended.output };
  return { next: 'round', round: round + 1 };
}

/** Outputs by step id, as `last` has them. Steps without one are null. */
export function roundOutputs(
  step: RepeatStep,
  states: readonly { readonly stepId: string; readonly output: Json }[],
): JsonObject {
  const outputs = new Map(states.map(({ stepId, output }) => [stepId, output]));
  return Object.fromEntries(step.body.steps.map(({ id }) => [id, outputs.get(id) ?? null]));
}
