import { isEndedStep, type Json } from '#libs/domain';
import type { Circumstances } from './circumstances.js';
import type { RunRecord, StepRunRecord } from './ports/run-records.port.js';
import { afterWait, waitingDetail } from './wait-words.js';

/** Of one step: what it waits for or does, who holds it, since when, what comes next. */
export function explainStep(run: RunRecord, step: StepRunRecord, known: Circumstances): { [key: string]: Json } {
  return {
    step_id: step.stepId,
    item: step.item,
    round: step.round,
    status: step.status,
    reason: step.reason,
    detail: stepDetail(step, known),
    attempt: step.attempt,
    starts: step.starts,
    held_by: step.status === 'running' ? step.workerId : null,
    lease_until: step.leaseUntil,
    due_at: step.dueAt,
    since: step.waitingSince ?? step.startedAt ?? step.queuedAt,
    next: nextOfStep(run, step, known),
  };
}

function stepDetail(step: StepRunRecord, known: Circumstances): string {
  switch (step.status) {
    case 'queued':
      return queuedDetail(step, known);
    case 'running':
      return runningDetail(step, known);
    case 'waiting':
      return `${waitingDetail(step, known.spent)}${unheldDetail(step, known)}`;
    case 'failed':
    case 'timed_out':
    case 'dead_letter':
      return step.error?.detail ?? 'It failed.';
    case 'pending':
      return 'Its dependencies have not ended.';
    case 'succeeded':
      return `It succeeded at ${step.endedAt ?? 'once'}.`;
    case 'skipped':
      return 'It was skipped: its condition, or a step that it depends on, said so.';
    case 'cancelled':
      return `It was cancelled at ${step.endedAt ?? 'once'}.`;
  }
}

function unheldDetail(step: StepRunRecord, known: Circumstances): string {
  const requestedAt = unheldSince(step, known);
  return requestedAt === null ? '' : ` No compactor holds it; it was requested at ${requestedAt}.`;
}

const unheldSince = ({ reason, waitingKey }: StepRunRecord, { unheld }: Circumstances): string | null =>
  reason === 'compaction' && waitingKey !== null ? (unheld.get(waitingKey) ?? null) : null;

function queuedDetail({ dispatchedAt }: StepRunRecord, { queue }: Circumstances): string {
  const where = dispatchedAt === null ? 'Runnable, and not in the queue yet' : `In the queue since ${dispatchedAt}`;
  switch (queue) {
    case 'away':
      return `${where}; the queue does not answer.`;
    case 'no_worker':
      return `${where}; no worker is there: none has told of itself in the last 15 s.`;
    case 'served':
      return dispatchedAt === null ? `${where}: as much waits there as the workers can take soon.` : `${where}.`;
  }
}

function runningDetail(step: StepRunRecord, known: Circumstances): string {
  const worker = step.workerId ?? 'unknown';
  const until = step.leaseUntil ?? 'unknown';
  if (isLeaseOver(step, known))
    return `Worker ${worker} held it and is gone, or stands still: its lease ran out at ${until}.`;
  const doing = known.doing.get(step.stepRunId);
  return `Worker ${worker} holds it; its lease runs to ${until}.${doing === undefined ? '' : ` ${doing}`}`;
}

const isLeaseOver = ({ leaseUntil }: StepRunRecord, { now }: Circumstances): boolean =>
  leaseUntil !== null && Date.parse(leaseUntil) < now;

/** What moves a step next, and what one can do about it; null: it has ended for good, or another step's end decides. */
export function nextOfStep(run: RunRecord, step: StepRunRecord, known: Circumstances): string | null {
  if (step.status === 'dead_letter')
    return `Nobody goes on with it by itself: weir dead-letters redrive ${step.stepRunId} (or discard); weir retry RUN does as redrive.`;
  if (isEndedStep(step.status) || step.status === 'pending') return null;
  if (step.status === 'waiting') return `${afterWait(step)}${nextOfUnheld(step, known)}`;
  if (step.status === 'queued') return nextOfQueued(run, known);
  if (isLeaseOver(step, known)) return 'The sweeper of any process gives it to another worker within seconds.';
  const timeout = step.timeoutAt === null ? '' : ` Its time is up at ${step.timeoutAt}.`;
  if (run.status === 'cancelling') return 'It is being stopped; if its worker is dead, when the lease has run out.';
  return run.pausedAt === null
    ? `If the worker dies, the step is dispatched again when the lease expires.${timeout}`
    : `It stops at its next turn boundary, because the run is paused: weir resume RUN.${timeout}`;
}

const nextOfUnheld = (step: StepRunRecord, known: Circumstances): string =>
  unheldSince(step, known) === null
    ? ''
    : ' A free compactor takes it: if none does, start one, or see /health/ready of those that there are.';

function nextOfQueued(run: RunRecord, { queue }: Circumstances): string {
  if (run.pausedAt !== null) return 'The next free worker sets it aside, because the run is paused: weir resume RUN.';
  switch (queue) {
    case 'away':
      return 'It starts when the queue is back; nothing is lost meanwhile. See /health/ready of the API.';
    case 'no_worker':
      return 'It starts when a worker is there: start one, or see /health/ready of those that there are.';
    case 'served':
      return 'The next free worker starts it.';
  }
}
