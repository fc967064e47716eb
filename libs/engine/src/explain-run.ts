import { subStreamId, type Json } from '#libs/domain';
import { describeRun, isBlocking, type BlockedOn } from './describe-run.js';
import { circumstancesOf, type Circumstances } from './circumstances.js';
import type { EngineDeps } from './engine-deps.js';
import { explainStep, nextOfStep } from './explain-step.js';
import type { RunRecord, StepRunRecord } from './ports/run-records.port.js';

/** `GET /v1/runs/{run}/explain`: why a run is where it is, who holds its steps, what comes next, what one can do. */
export type Explanation = { [key: string]: Json };

export async function explainRun(
  deps: Pick<EngineDeps, 'runs' | 'log' | 'queue' | 'compactions'>,
  projectId: string,
  runId: string,
): Promise<Explanation | null> {
  const described = await describeRun(deps, projectId, runId);
  if (described === null) return null;
  const { run, steps, statusReason, statusDetail, blockedOn, allowedActions } = described;
  const known = await circumstancesOf(deps, run, steps);
  return {
    run_id: run.runId,
    status: run.status,
    status_reason: statusReason,
    status_detail: statusDetail,
    since: sinceOf(run, blockedOn),
    next: nextOfRun(run, steps, known),
    blocked_on: blockedOn,
    allowed_actions: allowedActions,
    steps: await Promise.all(
      steps.map(async (step) => ({ ...explainStep(run, step, known), hard_cap: await hardCapOf(deps, run, step) })),
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
function nextOfRun(run: RunRecord, steps: readonly StepRunRecord[], known: Circumstances): string | null {
  switch (run.status) {
    case 'queued':
      return `${nextOfQueuedRun(run)}${pauseAhead(run)}`;
    case 'running':
      return nextOfRunning(run, steps, known);
    case 'waiting': {
      if (run.statusReason === 'stream_busy')
        return `It goes on when it has its stream again; its turn in line is kept.${pauseAhead(run)}`;
      const step = steps.find(isBlocking);
      const next = step === undefined ? null : nextOfStep(run, step, known);
      return step?.reason === 'paused'
        ? next
        : `${next ?? 'It goes on as the steps of its loops end.'}${pauseAhead(run)}`;
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

function nextOfQueuedRun(run: RunRecord): string {
  if (run.statusReason === 'delayed') return `It starts at ${run.startAt ?? 'its time'}.`;
  return run.statusReason === 'concurrency'
    ? 'It starts when one of the runs with its concurrency key ends; the oldest that waits is first.'
    : 'It starts when the stream is free: the run that holds it has ended or waits between its steps; the oldest is first.';
}

/** While none of its steps is held by a worker, what its queued ones wait for is what it waits for. */
function nextOfRunning(run: RunRecord, steps: readonly StepRunRecord[], known: Circumstances): string {
  const held = steps.some(({ status }) => status === 'running');
  const queued = steps.find(({ status }) => status === 'queued');
  const ofQueued = held || queued === undefined ? null : nextOfStep(run, queued, known);
  if (ofQueued !== null) return ofQueued;
  return run.pausedAt === null
    ? 'Its next steps begin when those under way have ended.'
    : 'Its steps stop at their next turn boundaries, because it is paused; it goes on when it is resumed: weir resume RUN.';
}

const pauseAhead = ({ pausedAt }: RunRecord): string =>
  pausedAt === null ? '' : ' Then it stops, because it is paused: weir resume RUN.';

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
