import { backoffMs, classifyFailure, type FailureDecision, type FailureKind } from './classify-failure.js';

const policy = { maxAttempts: 3, backoffMs: 1_000, maxBackoffMs: 60_000, jitter: false };
const decide = (kind: FailureKind, attempt: number, retryAfterMs: number | null = null): FailureDecision =>
  classifyFailure({ kind, detail: '', retryAfterMs }, attempt, policy, 0);

const failed = { decision: 'fail', status: 'failed' };

describe('a failure', () => {
  it.each<[FailureKind, number, number | null, object]>([
    ['server_error', 1, null, { decision: 'retry', attempt: 2, delayMs: 1_000 }],
    ['server_error', 2, null, { decision: 'retry', attempt: 3, delayMs: 2_000 }],
    ['server_error', 3, null, failed],
    ['overloaded', 1, 7_000, { decision: 'retry', attempt: 2, delayMs: 7_000 }],
    ['overloaded', 1, 10, { decision: 'retry', attempt: 2, delayMs: 1_000 }],
    ['step_timeout', 1, null, { decision: 'retry', attempt: 2, delayMs: 1_000 }],
    ['step_timeout', 3, null, { decision: 'fail', status: 'timed_out' }],
    ['rate_limited', 3, 9_000, { decision: 'wait', reason: 'rate_limit', delayMs: 9_000 }],
    ['rate_limited', 3, null, { decision: 'wait', reason: 'rate_limit', delayMs: 5_000 }],
    ['invalid_request', 1, null, failed],
    ['over_hard_cap', 1, null, failed],
    ['lease_expiries', 1, null, { decision: 'dead_letter' }],
  ])('leads from what happened and the policy to one decision: %s at attempt %i', (kind, attempt, after, expected) => {
    expect(decide(kind, attempt, after)).toEqual(expected);
  });

  it('is tried again after a time that doubles up to a bound, with jitter half of it at least', () => {
    expect([1, 2, 3, 7, 99].map((attempt) => backoffMs(attempt, policy, 0))).toEqual([
      1_000, 2_000, 4_000, 60_000, 60_000,
    ]);
    const jittered = { ...policy, jitter: true };
    expect([0, 0.5, 0.999].map((drawn) => backoffMs(2, jittered, drawn))).toEqual([1_000, 1_500, 1_999]);
  });
});
