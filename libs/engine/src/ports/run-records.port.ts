import type { Json, JsonObject, RunError, RunStatus, StepStatus, StoredSpendLimit, WaitReason } from '#libs/domain';

export type RunRecord = {
  projectId: string;
  runId: string;
  pipeline: string;
  pipelineVersion: number;
  streamId: string;
  status: RunStatus;
  statusReason: string | null;
  inputs: JsonObject;
  output: Json;
  error: RunError | null;
  tags: string[];
  metadata: JsonObject;
  priority: number;
  onBusy: string;
  /** Whether it holds its stream alone. */
  exclusive: boolean;
  /** RFC 3339 or null, here and below: the database's clock. */
  deadlineAt: string | null;
  timeoutMs: number | null;
  timeoutAt: string | null;
  cancelRequestedAt: string | null;
  cancelReason: string | null;
  /** How often the run was reopened (the retry verb). */
  generation: number;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Of a child run: the runs around it, outermost first, and the step that started it. */
  ancestors: string[];
  parentStepRunId: string | null;
  spendLimit: StoredSpendLimit | null;
  pausedAt: string | null;
  /** `key`: the hash of the rendered one. */
  concurrency: { key: string; limit: number } | null;
  /** Not before; null: at once. */
  startAt: string | null;
  /** W3C traceparent of what started it; null: none. */
  traceparent: string | null;
};

export type StepUsage = {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  costUsd: number;
  modelCalls: number;
  toolCalls: number;
};

export type StepRunRecord = {
  projectId: string;
  stepRunId: string;
  runId: string;
  stepId: string;
  item: number | null;
  round: number;
  kind: string;
  status: StepStatus;
  reason: WaitReason | null;
  attempt: number;
  starts: number;
  releases: number;
  dispatchNo: number;
  dispatchedAt: string | null;
  priority: number;
  fence: number;
  leaseUntil: string | null;
  workerId: string | null;
  stalls: number;
  /** Where the log of the step stood at the last lease expiry; null: none yet. */
  stallPosition: number | null;
  cutoffSeq: number | null;
  memorySeq: number | null;
  manifest: string | null;
  output: Json;
  error: RunError | null;
  dueAt: string | null;
  /** Of one attempt. */
  timeoutMs: number | null;
  timeoutAt: string | null;
  usage: StepUsage;
  queuedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** While it waits: the approval, run, compaction or signal (name and key), and since when. */
  waitingKey: string | null;
  waitingSince: string | null;
  /** Resident memory of its last worker at the last sign of life; null: never claimed. */
  workerBytes: number | null;
};

/** What is stored of a step's work in its run, events of its conversation included. */
export type JournalSize = {
  events: number;
  bytes: number;
  largestBytes: number;
  lastEvent: { type: string; recordedAt: string } | null;
};

/** A new run row; the rest takes its defaults (`queued`). */
export type NewRun = Pick<
  RunRecord,
  | 'projectId'
  | 'runId'
  | 'pipeline'
  | 'pipelineVersion'
  | 'streamId'
  | 'inputs'
  | 'tags'
  | 'metadata'
  | 'priority'
  | 'onBusy'
  | 'exclusive'
  | 'deadlineAt'
  | 'timeoutMs'
  | 'ancestors'
  | 'parentStepRunId'
  | 'spendLimit'
  | 'concurrency'
> & { statusReason: string | null; delayMs: number | null; traceparent?: string | null };

/**
 * Columns of a run to set. `started: true` sets started_at to now if it is null and timeout_at to the earlier of
 * deadline_at and started_at + timeout_ms; `ended: true` sets ended_at; `restarted: true` clears ended_at, error, output,
 * cancel_requested_at and timeout_at, and raises generation.
 */
export type RunPatch = Partial<
  Pick<RunRecord, 'status' | 'statusReason' | 'output' | 'error' | 'cancelReason' | 'pipelineVersion' | 'spendLimit'>
> & {
  tags?: readonly string[];
  metadata?: JsonObject;
  /** Also of its steps that are not in the queue yet. */
  priority?: number;
  /** Sets or clears paused_at. */
  paused?: boolean;
  started?: true;
  ended?: true;
  restarted?: true;
  cancelRequested?: true;
};

/**
 * Queued steps are runnable (dispatch_no 1), `skipped` ones are ended at once, `waiting` ones have started without a worker,
 * `running` ones are claimed by whoever inserts them: under `lease`, with fence and starts 1.
 * With `attempt` above 1 the row is there and `pending`: its fence and what it knows of its conversation stay, dispatch_no
 * goes up.
 */
export type NewStepRun = {
  stepRunId: string;
  runId: string;
  stepId: string;
  item: number | null;
  round: number;
  kind: string;
  attempt: number;
  status: 'queued' | 'skipped' | 'waiting' | 'running';
  reason?: WaitReason;
  waitingKey?: string | null;
  priority: number;
  /** Of one attempt; null: none. */
  timeoutMs: number | null;
  /** Queued and marked as dispatched: whoever inserts it pushes it right after the commit. */
  isDispatched?: boolean;
  lease?: StepLease;
};

/** What a worker holds a step under. */
export type StepLease = {
  workerId: string;
  leaseMs: number;
  /** Resident memory of the worker. */
  workerBytes?: number;
};

/**
 * Columns of a step run to set. Times are given as delays from the database's now, so no process' clock matters.
 * `requeue: true`: status queued, dispatch_no + 1, dispatched_at/lease/worker/reason/due null, queued_at now.
 * `ended: true`: ended_at now, lease and worker cleared. `reopened: true`: ended_at, error and output cleared, stalls counted anew.
 * Status `waiting` clears lease and worker; a raised `attempt` clears timeout_at, and so does `clockStopped: true`.
 */
export type StepRunPatch = Partial<
  Pick<
    StepRunRecord,
    | 'status'
    | 'reason'
    | 'attempt'
    | 'releases'
    | 'stalls'
    | 'cutoffSeq'
    | 'memorySeq'
    | 'manifest'
    | 'output'
    | 'error'
    | 'waitingKey'
  >
> & {
  /** Added to what was counted. */
  moreToolCalls?: number;
  /** It was never claimed, and began so many ms ago: fence 1, one start more. */
  beganMsAgo?: number;
  clockStopped?: true;
  dueInMs?: number | null;
  ended?: true;
  requeue?: true;
  reopened?: true;
  stallPosition?: number;
};
