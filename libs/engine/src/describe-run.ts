import { isEndedRun } from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';
import type { RunRecord, StepRunRecord, StepUsage } from './ports/run-records.port.js';

/** What a run waits for: the step, approval, compaction or run named by `id`, since when (RFC 3339). */
export type BlockedOn = { kind: string; id: string; since: string };

export type RunDescription = {
  run: RunRecord;
  steps: StepRunRecord[];
  usage: StepUsage;
  statusReason: string | null;
  /** A sentence for people. */
  statusDetail: string;
  blockedOn: BlockedOn[];
  /** Verbs that would be accepted now. */
  allowedActions: string[];
};

/** Everything `GET /v1/runs/{run}` says about a run beyond its row. Null: no such run in this project. */
export async function describeRun(
  deps: Pick<EngineDeps, 'runs'>,
  projectId: string,
  runId: string,
): Promise<RunDescription | null> {
  const run = await deps.runs.getRun(projectId, runId);
  if (run === null) return null;
  const [steps, usage] = await Promise.all([
    deps.runs.stepRunsOf(projectId, runId),
    deps.runs.usageOfRun(projectId, runId),
  ]);
  const holder = needsStream(run) ? await deps.runs.streamHolder(projectId, run.streamId) : null;
  return { run, steps, usage, ...standingOf(run, steps, holder) };
}

/** In line for its stream: new, or after a wait that gave it back. */
export const needsStream = ({ status, statusReason }: RunRecord): boolean =>
  status === 'queued' || (status === 'waiting' && statusReason === 'stream_busy');

export type RunStanding = Pick<RunDescription, 'statusReason' | 'statusDetail' | 'blockedOn' | 'allowedActions'>;

/** Why a run stands where it stands. `steps`: at least those that have not ended; `holder`: of its stream, asked for queued runs. */
export function standingOf(
  run: RunRecord,
  steps: readonly StepRunRecord[],
  holder: { runId: string; since: string } | null,
): RunStanding {
  const blockedOn = blockersOf(run, steps, holder);
  return { ...reasonOf(run, steps, blockedOn), blockedOn, allowedActions: actionsOf(run, steps) };
}

function blockersOf(
  run: RunRecord,
  steps: readonly StepRunRecord[],
  holder: { runId: string; since: string } | null,
): BlockedOn[] {
  if (isEndedRun(run.status)) return [];
  if (needsStream(run)) return holder === null ? [] : [{ kind: 'run', id: holder.runId, since: run.createdAt }];
  return steps.filter(isBlocking).map((step) => ({
    kind: step.reason ?? 'timer',
    id: step.waitingKey ?? placeOf(step),
    since: step.waitingSince ?? step.queuedAt,
  }));
}

/** Loops wait for steps that say themselves what they wait for. */
const isBlocking = (step: StepRunRecord): boolean =>
  step.status === 'waiting' && step.kind !== 'for_each' && step.kind !== 'repeat';

export function placeOf(step: StepRunRecord): string {
  return step.item === null ? step.stepId : `${step.stepId}[${step.item}]`;
}

type Reason = { statusReason: string | null; statusDetail: string };

function reasonOf(run: RunRecord, steps: readonly StepRunRecord[], blockedOn: readonly BlockedOn[]): Reason {
  switch (run.status) {
    case 'queued':
      return queuedReason(run, blockedOn);
    case 'running':
      return { statusReason: null, statusDetail: runningDetail(steps) };
    case 'waiting':
      return run.statusReason === 'stream_busy' ? queuedReason(run, blockedOn) : waitingReason(steps);
    case 'cancelling':
      return {
        statusReason: run.statusReason ?? 'cancel_requested',
        statusDetail: `Running steps are being stopped: ${names(steps, 'running')}.`,
      };
    case 'succeeded':
      return { statusReason: null, statusDetail: `Ended at ${run.endedAt ?? ''}.` };
    case 'cancelled':
      return { statusReason: run.cancelReason, statusDetail: `Cancelled at ${run.endedAt ?? ''}.` };
    case 'failed':
    case 'timed_out':
    case 'dead_letter':
      return { statusReason: run.error?.code ?? run.status, statusDetail: run.error?.detail ?? 'It failed.' };
  }
}

function queuedReason(run: RunRecord, blockedOn: readonly BlockedOn[]): Reason {
  if (run.statusReason === 'concurrency')
    return {
      statusReason: 'concurrency',
      statusDetail: `Starts when fewer than ${run.concurrency?.limit ?? 1} runs of ${run.pipeline} with its concurrency key are under way.`,
    };
  const holder = blockedOn[0];
  if (holder === undefined)
    return { statusReason: 'stream_busy', statusDetail: `Starts as soon as stream ${run.streamId} is free.` };
  return {
    statusReason: 'stream_busy',
    statusDetail: `Starts when stream ${run.streamId} is free; run ${holder.id} holds it.`,
  };
}

function runningDetail(steps: readonly StepRunRecord[]): string {
  const running = names(steps, 'running');
  const queued = names(steps, 'queued');
  if (running !== '') return `Running: ${running}.`;
  return queued === '' ? 'Its next steps are being decided.' : `Queued for a worker: ${queued}.`;
}

function waitingReason(steps: readonly StepRunRecord[]): Reason {
  const waiting = steps.find(isBlocking) ?? steps.find((step) => step.status === 'waiting');
  if (waiting === undefined) return { statusReason: null, statusDetail: 'It waits.' };
  return { statusReason: waiting.reason, statusDetail: waitingDetail(waiting) };
}

/** What a waiting step waits for, as a sentence. */
export function waitingDetail(step: StepRunRecord): string {
  const until = step.dueAt === null ? '' : ` until ${step.dueAt} at the latest`;
  const place = `Step ${placeOf(step)}`;
  const key = step.waitingKey ?? '';
  switch (step.reason) {
    case 'timer':
      return step.error === null
        ? `${place} sleeps until ${step.dueAt ?? 'its time comes'}.`
        : `${place} is tried again (attempt ${step.attempt}) at ${step.dueAt ?? 'once'}, after: ${step.error.detail}`;
    case 'approval':
      return `${place} waits for a decision on approval ${key}${until}.`;
    case 'signal':
      return step.kind === 'wait_for'
        ? `${place} waits for the signal ${key}${until}.`
        : `${place} waits for the real result of a tool call (${key}).`;
    case 'children':
      return childrenDetail(step, place);
    case 'paused':
      return `${place} stopped at a turn boundary because the run is paused.`;
    case 'spend_limit':
      return `${place} stopped because the run has reached its spend limit.`;
    case 'compaction':
    case 'rate_limit':
    case 'concurrency':
    case null:
      return `${place} waits for ${step.reason ?? 'a timer'}${until}.`;
  }
}

function childrenDetail(step: StepRunRecord, place: string): string {
  if (step.kind === 'pipeline') return `${place} waits for run ${step.waitingKey ?? ''}.`;
  return step.kind === 'repeat'
    ? `${place} is in round ${Number(step.waitingKey ?? 0) + 1}.`
    : `${place} waits for the steps of its items.`;
}

function names(steps: readonly StepRunRecord[], status: StepRunRecord['status']): string {
  return steps
    .filter((step) => step.status === status)
    .map(placeOf)
    .join(', ');
}

function actionsOf(run: RunRecord, steps: readonly StepRunRecord[]): string[] {
  switch (run.status) {
    case 'queued':
    case 'running':
    case 'waiting':
      return ['cancel', ...pauseActions(run, steps)];
    case 'cancelling':
    case 'succeeded':
      return [];
    case 'failed':
    case 'cancelled':
    case 'timed_out':
    case 'dead_letter':
      return ['retry'];
  }
}

/** A run at its spend limit is resumed with a higher one. */
function pauseActions(run: RunRecord, steps: readonly StepRunRecord[]): string[] {
  if (run.pausedAt !== null) return ['resume'];
  return steps.some(({ status, reason }) => status === 'waiting' && reason === 'spend_limit')
    ? ['pause', 'resume']
    : ['pause'];
}
