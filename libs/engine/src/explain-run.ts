import { subStreamId, type Json } from '#libs/domain';
import { describeRun, isBlocking, type BlockedOn } from './describe-run.js';
import { afterWait, waitingDetail } from './wait-words.js';
import type { EngineDeps } from './engine-deps.js';
import type { RunRecord, StepRunRecord } from './ports/run-records.port.js';

/** `GET /v1/runs/{run}/explain`: why a run is where it is, who holds its steps, what comes next, what one can do. */
export type Explanation = { [key: string]: Json };

export async function explainRun(
  deps: Pick<EngineDeps, 'runs' | 'log'>,
  projectId: string,
  runId: string,
): Promise<Explanation | null> {
  const described = await describeRun(deps, projectId, runId);
  if (described === null) return null;
  const { run, steps, statusReason, statusDetail, blockedOn, allowedActions } = described;
  return {
    run_id: run.runId,
    status: run.status,
    status_reason: statusReason,
    status_detail: statusDetail,
    since: sinceOf(run, blockedOn),
    next: nextOfRun(run, steps),
    blocked_on: blockedOn,
    allowed_actions: allowedActions,
    steps: await Promise.all(
      steps.map(async (step) => ({ ...explainStep(step), hard_cap: await hardCapOf(deps, run, step) })),
    ),
  };
}

/** Since when the run is in its status. */
function sinceOf(run: RunRecord, blockedOn: readonly BlockedOn[]): string {
  const ended = run.endedAt ?? (run.status === 'cancelling' ? run.cancelRequestedAt : null);
  if (ended !== null) return ended;
  const [first] = blockedOn.map(({ since }) => since).sort();
  return first ?? run.startedAt ?? run.createdAt;
}

/** What moves the run next; null: it has ended. */
function nextOfRun(run: RunRecord, steps: readonly StepRunRecord[]): string | null {
  const isBusy = run.statusReason === 'stream_busy';
  switch (run.status) {
    case 'queued':
      if (run.statusReason === 'delayed') return `It starts at ${run.startAt ?? 'its time'}.`;
      return run.statusReason === 'concurrency'
        ? 'It starts when one of the runs with its concurrency key ends; the oldest that waits is first.'
        : 'It starts when the stream is free: the run that holds it has ended or waits between its steps; the oldest is first.';
    case 'running':
      return 'Its next steps begin when those under way have ended.';
    case 'waiting': {
      const step = steps.find(isBlocking);
      if (isBusy) return 'It goes on when it has its stream again; its turn in line is kept.';
      return step === undefined ? 'It goes on as the steps of its loops end.' : afterWait(step);
    }
    case 'cancelling':
      return 'It ends when its running steps have stopped, or the lease of a worker that died has expired.';
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'timed_out':
    case 'dead_letter':
      return null;
  }
}

/** What made the request of a step too large that failed for it: as its last `HardCapExceeded` has it. */
async function hardCapOf(
  { log }: Pick<EngineDeps, 'log'>,
  { projectId, streamId, runId }: RunRecord,
  { error, stepId, item }: StepRunRecord,
): Promise<{ [key: string]: Json } | null> {
  if (error?.code !== 'over_hard_cap') return null;
  const subStream = subStreamId(streamId, stepId, item);
  const events = await log.read({ projectId, streamId: subStream, types: ['HardCapExceeded'] });
  const last = events.findLast((event) => event.runId === runId);
  return last?.type === 'HardCapExceeded' ? last.data : null;
}

function explainStep(step: StepRunRecord): { [key: string]: Json } {
  return {
    step_id: step.stepId,
    item: step.item,
    round: step.round,
    status: step.status,
    reason: step.reason,
    detail: stepDetail(step),
    attempt: step.attempt,
    starts: step.starts,
    held_by: step.status === 'running' ? step.workerId : null,
    lease_until: step.leaseUntil,
    due_at: step.dueAt,
    since: step.waitingSince ?? step.startedAt ?? step.queuedAt,
    next: nextOf(step),
  };
}

function stepDetail(step: StepRunRecord): string {
  switch (step.status) {
    case 'queued':
      return step.dispatchedAt === null
        ? 'Runnable; not in the queue yet (admission is full or the queue is away).'
        : `In the queue since ${step.dispatchedAt}.`;
    case 'running':
      return `Worker ${step.workerId ?? 'unknown'} holds it; its lease runs to ${step.leaseUntil ?? 'unknown'}.`;
    case 'waiting':
      return waitingDetail(step);
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

function nextOf(step: StepRunRecord): string | null {
  switch (step.status) {
    case 'queued':
      return 'The next free worker starts it.';
    case 'running':
      return 'If the worker dies, the step is dispatched again when the lease expires.';
    case 'waiting':
      return afterWait(step);
    case 'pending':
    case 'succeeded':
    case 'failed':
    case 'skipped':
    case 'cancelled':
    case 'timed_out':
    case 'dead_letter':
      return null;
  }
}
