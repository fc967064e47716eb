import { leadingTo } from '../pipeline/graph.js';
import type { PipelineStep } from '../pipeline/pipeline-step.js';
import type { StepState } from './run-state.js';
import { isEndedStep } from './run-status.js';

export type Readiness = 'not_yet' | 'ready' | 'dependency_skipped' | 'dependency_failed';

/** What is known of the steps of one list; `of` answers null for those without a state. */
export type Siblings = { readonly steps: readonly PipelineStep[]; readonly of: (stepId: string) => StepState | null };

/** Whether a step may start, as its dependencies and the steps that lead to it by `on_error` stand. */
export function readinessOf(step: PipelineStep, siblings: Siblings): Readiness {
  const led = leadIn(step, siblings);
  if (led !== 'ready') return led;
  const outcomes = step.dependsOn.map((id) => outcomeOf(id, siblings));
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
function leadIn(step: PipelineStep, siblings: Siblings): Readiness {
  const sources = leadingTo(siblings.steps, step.id);
  if (sources.length === 0) return 'ready';
  const states = sources.map(({ id }) => siblings.of(id));
  if (states.some((source) => source !== null && isFailure(source))) return 'ready';
  return states.every((source) => source !== null && isEndedStep(source.status)) ? 'dependency_skipped' : 'not_yet';
}

function outcomeOf(stepId: string, siblings: Siblings): 'outstanding' | 'done' | 'skipped' | 'failed' {
  const step = siblings.of(stepId);
  if (step === null || !isEndedStep(step.status)) return 'outstanding';
  if (step.status === 'succeeded') return 'done';
  if (step.status === 'skipped') return 'skipped';
  return errorActionOf(stepId, siblings.steps) === 'continue' ? 'done' : 'failed';
}

export function errorActionOf(stepId: string, steps: readonly PipelineStep[]): 'fail' | 'continue' | 'goto' {
  return steps.find((step) => step.id === stepId)?.onError.action ?? 'fail';
}

export const isFailure = (step: StepState): boolean =>
  step.status === 'failed' ||
  step.status === 'timed_out' ||
  step.status === 'dead_letter' ||
  step.status === 'cancelled';
