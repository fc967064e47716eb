import type { FailureFacts, Json } from '#libs/domain';

/** How one execution of a step ended, before anything is written about it. */
export type StepOutcome =
  | { kind: 'succeeded'; output: Json }
  | { kind: 'failed'; failure: FailureFacts }
  /** Given back at a turn boundary, because the process shuts down. Not an attempt. */
  | { kind: 'released' }
  | { kind: 'cancelled' }
  /** Waits for a compaction: the step gives its slot back. */
  | { kind: 'waiting_for_compaction'; compactionId: string; waitMs: number }
  /** Another worker has the step: nothing may be written. */
  | { kind: 'fenced_out' };

export const failedStep = (
  kind: FailureFacts['kind'],
  detail: string,
  retryAfterMs: number | null = null,
): StepOutcome => ({
  kind: 'failed',
  failure: { kind, detail, retryAfterMs },
});

export const STEP_TIMED_OUT = "the step did not end within its timeout; raise the step's timeout or make it do less";
export const stepTimedOut = (): StepOutcome => failedStep('step_timeout', STEP_TIMED_OUT);
