import { isEndedRun } from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';
import type { RunRecord, StepRunRecord, StepUsage } from './ports/run-records.port.js';
import { placeOf, waitingDetail } from './wait-words.js';

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
  const standing = standingOf(run, steps, await holdersOf(deps, run));
  const blockedOn = await withEachApproval(deps, steps, standing.blockedOn);
  return { run, steps, usage, ...standing, blockedOn };
}

const MOST_HOLDERS = 5;

/** The runs that a run waits for: they have its stream, or the slots of its concurrency key. */
async function holdersOf({ runs }: Pick<EngineDeps, 'runs'>, run: RunRecord): Promise<string[]> {
  if (isInLineForSlot(run)) return runs.concurrencyHolders(run, MOST_HOLDERS);
  const holder = needsStream(run) ? await runs.streamHolder(run.projectId, run.streamId) : null;
  return holder === null ? [] : [holder.runId];
}

/** In line for its stream: new, or after a wait that gave it back. */
export const needsStream = ({ status, statusReason }: RunRecord): boolean =>
  status === 'queued' || (status === 'waiting' && statusReason === 'stream_busy');

/** A step with several calls waits for a decision on each of them. */
async function withEachApproval(
  { runs }: Pick<EngineDeps, 'runs'>,
  steps: readonly StepRunRecord[],
  blockedOn: readonly BlockedOn[],
): Promise<BlockedOn[]> {
  const all: BlockedOn[] = [];
  for (const blocker of blockedOn) {
    const step = steps.find(({ waitingKey }) => waitingKey === blocker.id);
    if (blocker.kind !== 'approval' || step === undefined) {
      all.push(blocker);
      continue;
    }
    const approvals = await runs.approvalsOfStep(step.projectId, step.stepRunId);
    const pending = approvals.filter(({ status }) => status === 'pending');
    all.push(
      ...pending.map(({ approvalId, requestedAt }) => ({ kind: 'approval', id: approvalId, since: requestedAt })),
    );
  }
  return all;
}

export type RunStanding = Pick<RunDescription, 'statusReason' | 'statusDetail' | 'blockedOn' | 'allowedActions'>;

/** Why a run stands where it stands. `steps`: at least those that have not ended; `holders`: runs that it waits for, asked for queued runs. */
export function standingOf(run: RunRecord, steps: readonly StepRunRecord[], holders: readonly string[]): RunStanding {
  const blockedOn = blockersOf(run, steps, holders);
  return { ...reasonOf(run, steps, blockedOn), blockedOn, allowedActions: actionsOf(run, steps) };
}

function blockersOf(run: RunRecord, steps: readonly StepRunRecord[], holders: readonly string[]): BlockedOn[] {
  if (isEndedRun(run.status)) return [];
  if (isToStartLater(run)) return [{ kind: 'timer', id: run.runId, since: run.createdAt }];
  if (needsStream(run)) {
    const what = isInLineForSlot(run)
      ? { kind: 'concurrency', id: run.pipeline }
      : { kind: 'stream', id: run.streamId };
    const found = holders.length === 0 ? [what] : holders.map((id) => ({ kind: 'run', id }));
    return found.map((blocker) => ({ ...blocker, since: run.createdAt }));
  }
  return steps.filter(isBlocking).map((step) => ({
    kind: step.reason ?? 'timer',
    id: step.waitingKey ?? placeOf(step),
    since: step.waitingSince ?? step.queuedAt,
  }));
}

const isToStartLater = (run: RunRecord): boolean => run.status === 'queued' && run.statusReason === 'delayed';

const isInLineForSlot = (run: RunRecord): boolean => run.status === 'queued' && run.statusReason === 'concurrency';

/** Loops wait for steps that say themselves what they wait for. */
export const isBlocking = (step: StepRunRecord): boolean =>
  step.status === 'waiting' && step.kind !== 'for_each' && step.kind !== 'repeat';

const isErased = (run: RunRecord): boolean => run.statusReason === 'erased';

type Reason = { statusReason: string | null; statusDetail: string };

function reasonOf(run: RunRecord, steps: readonly StepRunRecord[], blockedOn: readonly BlockedOn[]): Reason {
  if (isErased(run))
    return { statusReason: 'erased', statusDetail: `Ended at ${run.endedAt ?? 'once'}; its contents were erased.` };
  switch (run.status) {
    case 'queued':
      return queuedReason(run, blockedOn);
    case 'running':
      return { statusReason: null, statusDetail: runningDetail(run, steps) };
    case 'waiting':
      return run.statusReason === 'stream_busy' ? queuedReason(run, blockedOn) : waitingReason(run, steps);
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
  const paused = pausedSince(run);
  if (isToStartLater(run))
    return { statusReason: 'delayed', statusDetail: `Starts at ${run.startAt ?? 'its time'}.${paused}` };
  const holders = blockedOn.filter(({ kind }) => kind === 'run').map(({ id }) => id);
  if (isInLineForSlot(run)) {
    const limit = run.concurrency?.limit ?? 1;
    const few = limit === 1 ? 'no other run' : `fewer than ${limit} runs`;
    const statusDetail = `Starts when ${few} of ${run.pipeline} with its concurrency key ${limit === 1 ? 'is' : 'are'} under way${underWay(holders, limit)}.${paused}`;
    return { statusReason: 'concurrency', statusDetail };
  }
  const statusDetail =
    holders[0] === undefined
      ? `Starts as soon as stream ${run.streamId} is free.${paused}`
      : `Starts when stream ${run.streamId} is free; run ${holders[0]} holds it.${paused}`;
  return { statusReason: 'stream_busy', statusDetail };
}

function underWay(holders: readonly string[], limit: number): string {
  if (holders.length === 0) return '';
  return `; now: ${holders.join(', ')}${limit > holders.length ? ' and others' : ''}`;
}

const pausedSince = ({ pausedAt }: RunRecord): string => (pausedAt === null ? '' : ` Paused since ${pausedAt}.`);

function runningDetail(run: RunRecord, steps: readonly StepRunRecord[]): string {
  return `${underWayDetail(steps)}${pausedSince(run)}`;
}

function underWayDetail(steps: readonly StepRunRecord[]): string {
  const running = names(steps, 'running');
  const queued = names(steps, 'queued');
  if (running !== '') return `Running: ${running}.`;
  return queued === '' ? 'Its next steps are being decided.' : `Queued for a worker: ${queued}.`;
}

function waitingReason(run: RunRecord, steps: readonly StepRunRecord[]): Reason {
  const waiting = steps.find(isBlocking) ?? steps.find((step) => step.status === 'waiting');
  if (waiting === undefined) return { statusReason: null, statusDetail: 'It waits.' };
  return { statusReason: waiting.reason, statusDetail: `${waitingDetail(waiting)}${pausedSince(run)}` };
}

function names(steps: readonly StepRunRecord[], status: StepRunRecord['status']): string {
  return steps
    .filter((step) => step.status === status)
    .map(placeOf)
    .join(', ');
}

function actionsOf(run: RunRecord, steps: readonly StepRunRecord[]): string[] {
  if (isErased(run)) return [];
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
