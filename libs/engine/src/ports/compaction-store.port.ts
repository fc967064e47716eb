import type { CompactionJob } from './step-queue.port.js';

export type CompactionStatus =
  'requested' | 'running' | 'compacted' | 'skipped' | 'discarded' | 'failed' | 'rolled_back';

export type CompactionAttempt = {
  n: number;
  started_at: string;
  ended_at: string | null;
  outcome: string | null;
  error: string | null;
};

/** Model calls of a compaction; part of its run's usage. */
export type CompactionUsage = {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  costUsd: number;
  modelCalls: number;
};

export type CompactionRecord = {
  projectId: string;
  compactionId: string;
  /** The sub-stream. */
  streamId: string;
  runId: string | null;
  stepId: string | null;
  item: number | null;
  viewRunId: string | null;
  cutoffSeq: number;
  status: CompactionStatus;
  reason: string;
  /** Inclusive, in seqs and in entries. */
  range: readonly [number, number];
  entries: readonly [number, number];
  supersedes: string | null;
  live: boolean;
  manifest: string;
  policyHash: string;
  maxSummaryChars: number;
  charsBefore: number | null;
  charsAfter: number | null;
  bytesSaved: number | null;
  summary: string | null;
  summarizerModel: string | null;
  extractive: boolean;
  sourceDigest: string | null;
  attempts: CompactionAttempt[];
  attempt: number;
  starts: number;
  dispatchNo: number;
  fence: number;
  leaseUntil: string | null;
  workerId: string | null;
  usage: CompactionUsage;
  requestedAt: string;
  endedAt: string | null;
};

/**
 * Status requested, dispatched_at null, dispatch_no 1. With `status` compacted or skipped: made on the spot by a step (the
 * ladder), never open and never queued; the caller sets the rest and `ended` right after.
 */
export type NewCompaction = Pick<
  CompactionRecord,
  | 'projectId'
  | 'compactionId'
  | 'streamId'
  | 'runId'
  | 'stepId'
  | 'item'
  | 'viewRunId'
  | 'cutoffSeq'
  | 'reason'
  | 'range'
  | 'entries'
  | 'supersedes'
  | 'manifest'
  | 'policyHash'
  | 'maxSummaryChars'
  | 'charsBefore'
> & { status?: 'compacted' | 'skipped' };

/**
 * Columns to set. `ended: true`: ended_at now, lease and worker cleared. `requeue: true`: status requested, dispatch_no + 1,
 * dispatched_at/lease/worker null, due in `dueInMs` (else at once). `live: true` also clears `live` of the view's other rows.
 */
export type CompactionPatch = Partial<
  Pick<
    CompactionRecord,
    | 'status'
    | 'live'
    | 'charsBefore'
    | 'charsAfter'
    | 'bytesSaved'
    | 'summary'
    | 'summarizerModel'
    | 'extractive'
    | 'sourceDigest'
    | 'attempts'
    | 'attempt'
  >
> & {
  ended?: true;
  requeue?: true;
  dueInMs?: number | null;
  /** With `requeue`: the process shut down; this start does not count. */
  released?: true;
  /** One more step has waited for it, this long. */
  waitedMs?: number;
  /** Models were asked and gave nothing that could be used. */
  modelsFailed?: true;
};

/** The part of a transaction that concerns compactions (lock order: after step runs, before streams). */
export interface CompactionTransaction {
  /** False: the view has an open one already; nothing was inserted. */
  insertCompaction(compaction: NewCompaction): Promise<boolean>;
  openCompaction(projectId: string, streamId: string, viewRunId: string | null): Promise<string | null>;
  lockCompaction(projectId: string, compactionId: string): Promise<CompactionRecord | null>;
  updateCompaction(projectId: string, compactionId: string, patch: CompactionPatch): Promise<void>;
}

/** The same claim, lease and fence code as for steps. */
export interface CompactionStore {
  claimCompaction(claim: {
    compactionId: string;
    dispatchNo: number;
    workerId: string;
    leaseMs: number;
  }): Promise<CompactionRecord | null>;
  /** Ids whose lease was renewed; the others are lost. */
  heartbeatCompactions(held: readonly { compactionId: string; fence: number }[], leaseMs: number): Promise<Set<string>>;
  /** Due ones, oldest first (skip locked), marked as dispatched. */
  takeRunnableCompactions(limit: number): Promise<CompactionJob[]>;
  undispatchCompactions(jobs: readonly CompactionJob[]): Promise<void>;
  findDispatchedCompactions(olderThanMs: number, limit: number): Promise<CompactionJob[]>;
  /** For jobs that the queue lost: dispatch_no + 1, dispatched_at null, if still requested under that number. */
  redispatchCompactions(jobs: readonly CompactionJob[]): Promise<void>;
  redispatchAllCompactions(): Promise<number>;
  findExpiredCompactions(limit: number): Promise<CompactionRecord[]>;
  getCompaction(projectId: string, compactionId: string): Promise<CompactionRecord | null>;
  /** Step runs that wait for a compaction which has ended. */
  findWaitersOfEndedCompactions(limit: number): Promise<{ projectId: string; runId: string; stepRunId: string }[]>;
  /** Adds one model call to the row, if the fence still holds; false: fenced out (the call stays unbilled, as after a crash). */
  recordCompactionCall(call: {
    projectId: string;
    compactionId: string;
    fence: number;
    usage: CompactionUsage;
  }): Promise<boolean>;
  /** Stores what was paid for before it is applied, if the fence still holds. */
  keepSummary(kept: {
    projectId: string;
    compactionId: string;
    fence: number;
    sourceDigest: string;
    model: string;
    summary: string;
  }): Promise<boolean>;
  /** A summary of the same events within the same bound by this model, applied or not; none once one of them was rolled back. */
  findCachedSummary(query: {
    projectId: string;
    sourceDigest: string;
    maxSummaryChars: number;
    model: string;
  }): Promise<{ summary: string; extractive: boolean } | null>;
}
