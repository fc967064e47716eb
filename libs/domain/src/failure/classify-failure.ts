import type { WaitReason } from '../events/run-events.js';
import type { RetryPolicy } from '../pipeline/pipeline-definition.js';

type FailureClass = 'transient' | 'limited' | 'permanent' | 'timeout' | 'poison';

/** The one table of failures: what happened → its class. To add a failure, add a line. */
const FAILURE_CLASSES = {
  rate_limited: 'limited',
  overloaded: 'transient',
  server_error: 'transient',
  network: 'transient',
  timeout_idle: 'transient',
  timeout_total: 'transient',
  empty_answer: 'transient',
  tool_unavailable: 'transient',
  database_unavailable: 'transient',
  internal_error: 'transient',
  step_timeout: 'timeout',
  context_overflow: 'permanent',
  invalid_request: 'permanent',
  authentication: 'permanent',
  refused: 'permanent',
  recorded_failure: 'permanent',
  answer_cut_by_length: 'permanent',
  output_invalid: 'permanent',
  over_hard_cap: 'permanent',
  max_turns: 'permanent',
  loop_detected: 'permanent',
  tool_failed: 'permanent',
  approval_denied: 'permanent',
  tool_outcome_unknown: 'permanent',
  spend_limit: 'permanent',
  expression_failed: 'permanent',
  step_invalid: 'permanent',
  lease_expiries: 'poison',
} as const satisfies { [happened: string]: FailureClass };

export type FailureKind = keyof typeof FAILURE_CLASSES;

export type FailureFacts = {
  readonly kind: FailureKind;
  /** For people, without secrets. */
  readonly detail: string;
  readonly retryAfterMs: number | null;
  /** Of `rate_limited`: the model whose allowance is used up. */
  readonly model?: string;
};

export type FailureDecision =
  /** `attempt` is the number of the next one. */
  | { readonly decision: 'retry'; readonly attempt: number; readonly delayMs: number }
  /** Not an attempt: the step gives its slot back and comes again. */
  | { readonly decision: 'wait'; readonly reason: WaitReason; readonly delayMs: number }
  | { readonly decision: 'fail'; readonly status: 'failed' | 'timed_out' }
  | { readonly decision: 'dead_letter' };

/** A provider that names no time gets this long, doubled by nothing: the limiter sets the pace. */
const DEFAULT_LIMITED_DELAY_MS = 5_000;

/**
 * What happened × policy → what to do.
 * @param attempt the attempt that failed, from 1. @param jitter drawn from 0 (incl.) to 1 (excl.).
 */
export function classifyFailure(
  facts: FailureFacts,
  attempt: number,
  policy: RetryPolicy,
  jitter: number,
): FailureDecision {
  const failureClass: FailureClass = FAILURE_CLASSES[facts.kind];
  switch (failureClass) {
    case 'limited':
      return { decision: 'wait', reason: 'rate_limit', delayMs: facts.retryAfterMs ?? DEFAULT_LIMITED_DELAY_MS };
    case 'transient':
      return retryOr({ decision: 'fail', status: 'failed' }, facts, attempt, policy, jitter);
    case 'timeout':
      return retryOr({ decision: 'fail', status: 'timed_out' }, facts, attempt, policy, jitter);
    case 'permanent':
      return { decision: 'fail', status: 'failed' };
    case 'poison':
      return { decision: 'dead_letter' };
  }
}

function retryOr(
  last: FailureDecision,
  facts: FailureFacts,
  attempt: number,
  policy: RetryPolicy,
  jitter: number,
): FailureDecision {
  if (attempt >= policy.maxAttempts) return last;
  return {
    decision: 'retry',
    attempt: attempt + 1,
    delayMs: Math.max(facts.retryAfterMs ?? 0, backoffMs(attempt, policy, jitter)),
  };
}

/** min(backoff × 2^(attempt−1), max); with jitter between half of that and all of it. */
export function backoffMs(attempt: number, policy: RetryPolicy, jitter: number): number {
  const full = Math.min(policy.backoffMs * 2 ** Math.min(attempt - 1, 30), policy.maxBackoffMs);
  return policy.jitter ? Math.round(full / 2 + (full / 2) * jitter) : full;
}
