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
  /** Added to the row's counters. */
  usage?: { inputTokens: number; cachedTokens: number; outputTokens: number; costUsd: number; modelCalls: number };
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
  /** dispatch_no + 1, status requested, dispatched_at and lease null, if still open under that number and (when running) its lease expired. */
  redispatchCompactions(jobs: readonly CompactionJob[]): Promise<void>;
  redispatchAllCompactions(): Promise<number>;
  findExpiredCompactions(limit: number): Promise<CompactionRecord[]>;
  getCompaction(projectId: string, compactionId: string): Promise<CompactionRecord | null>;
  /** Step runs that wait for a compaction which has ended. */
  findWaitersOfEndedCompactions(limit: number): Promise<{ projectId: string; runId: string; stepRunId: string }[]>;
  /** A summary that was paid for the same digest and bound before and not rolled back, by any model or by this one. */
  findCachedSummary(query: {
    projectId: string;
    sourceDigest: string;
    model: string;
  }): Promise<{ summary: string; extractive: boolean } | null>;
}
