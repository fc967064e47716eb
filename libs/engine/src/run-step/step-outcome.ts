import type { ApprovalKind, EventData, FailureFacts, Json, NewEvent, PipelineDefinition } from '#libs/domain';
import type { NewRun } from '../ports/run-records.port.js';

/** One tool call of a step: `ordinal` in the answer of model call `callNo`. */
export type CallPlace = { callNo: number; ordinal: number };

/** What a person is asked about a call. `arguments` as the model wrote them. */
export type CallApproval = CallPlace & {
  kind: Exclude<ApprovalKind, 'step'>;
  tool: string;
  arguments: string;
  prompt: string;
  /** How often this call has started without leaving a result: an outcome that gets lost again is asked about again. */
  lost: number;
};

export type ChildRun = { run: NewRun; definition: PipelineDefinition };

/** What a step did that it may do again: written with its end, and not at all when it does not get there. */
export type StepJournal = { streamId: string; events: readonly NewEvent[]; toolCalls: number };

/** How one execution of a step ended, before anything is written about it. */
export type StepOutcome =
  /** `unclaimedMs`: nobody claimed it, and it took so long. */
  | { kind: 'succeeded'; output: Json; journal?: StepJournal; unclaimedMs?: number }
  | { kind: 'failed'; failure: FailureFacts }
  /** Given back, because the process shuts down (reasons: `stepReleased`). Not an attempt. */
  | { kind: 'released'; reason: EventData<'StepReleased'>['reason'] }
  | { kind: 'cancelled' }
  /** Waits for a compaction: the step gives its slot back. */
  | { kind: 'waiting_for_compaction'; compactionId: string; waitMs: number }
  /** Stopped at a turn boundary until somebody resumes the run or raises its limit. Not an attempt. */
  | { kind: 'parked'; reason: 'paused' | 'spend_limit' }
  /** Nothing is left to do before people decide about calls, or their real results come. */
  | { kind: 'waiting_for_calls'; approvals: readonly CallApproval[]; results: readonly CallPlace[] }
  /** A `pipeline` step: the run to start, and to wait for. */
  | { kind: 'start_child'; child: ChildRun }
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

/** Not a failure and not an attempt: the step gives its slot back until its share of the model's allowance is free. */
export const rateLimitedStep = (model: string, detail: string, waitMs: number | null): StepOutcome => ({
  kind: 'failed',
  failure: { kind: 'rate_limited', detail, retryAfterMs: waitMs, model },
});

export const STEP_TIMED_OUT = "the step did not end within its timeout; raise the step's timeout or make it do less";
export const stepTimedOut = (): StepOutcome => failedStep('step_timeout', STEP_TIMED_OUT);
