import type { EventData, EventType } from '../events/event-catalogue.js';
import { classifyFailure, type FailureKind } from '../failure/classify-failure.js';
import { effectiveStep } from '../pipeline/effective-step.js';
import type { PipelineDefinition } from '../pipeline/pipeline-definition.js';
import type { StepState } from '../run/run-state.js';

/** What is written of a step that failed this way. */
export function failureEvent(
  definition: PipelineDefinition,
  { stepId, attempt }: StepState,
  kind: FailureKind,
): [EventType, EventData<EventType>] {
  const retry = effectiveStep(definition, stepId)?.retry;
  if (retry === undefined) throw new Error(`no step ${stepId}`);
  const decision = classifyFailure({ kind, detail: kind, retryAfterMs: null }, attempt, retry, 0.5);
  const error = { code: kind, detail: kind, step_id: stepId };
  switch (decision.decision) {
    case 'retry':
      return ['StepRetryScheduled', { attempt: decision.attempt, due_at: 'later', error }];
    case 'wait':
      return ['StepWaiting', { reason: decision.reason, key: null, due_at: null }];
    case 'fail':
      return decision.status === 'timed_out' ? ['StepTimedOut', { error }] : ['StepFailed', { attempt, error }];
    case 'dead_letter':
      return ['StepDeadLettered', { error, diagnosis: {} }];
  }
}
