import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { CompactionRecord } from '#libs/engine';
import { fromStoredText } from '../encoding/stored-text.js';
import type { CompactionTable } from '../schema/compaction.table.js';

/** Named one by one: a prepared `select *` fails after a migration adds a column. */
export const COMPACTION_COLUMNS = [
  'project_id',
  'compaction_id',
  'stream_id',
  'run_id',
  'step_id',
  'item',
  'view_run_id',
  'cutoff_seq',
  'status',
  'reason',
  'range_lo',
  'range_hi',
  'entry_lo',
  'entry_hi',
  'supersedes',
  'live',
  'manifest',
  'policy_hash',
  'max_summary_chars',
  'chars_before',
  'chars_after',
  'bytes_saved',
  'summary',
  'summarizer_model',
  'extractive',
  'source_digest',
  'attempts',
  'attempt',
  'starts',
  'dispatch_no',
  'fence',
  'lease_until',
  'worker_id',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'cost_usd',
  'model_calls',
  'queued_at',
  'ended_at',
] as const satisfies readonly (keyof CompactionTable)[];

export type CompactionRow = Pick<Selectable<CompactionTable>, (typeof COMPACTION_COLUMNS)[number]>;

const attemptsSchema = z.array(
  z.object({
    n: z.number(),
    started_at: z.string(),
    ended_at: z.string().nullable(),
    outcome: z.string().nullable(),
    error: z.string().nullable(),
  }),
);

export function compactionRecord(row: CompactionRow): CompactionRecord {
  return {
    projectId: row.project_id,
    compactionId: row.compaction_id,
    streamId: row.stream_id,
    runId: row.run_id,
    stepId: row.step_id,
    item: row.item,
    viewRunId: row.view_run_id,
    cutoffSeq: row.cutoff_seq,
    status: row.status,
    reason: row.reason,
    range: [row.range_lo, row.range_hi],
    entries: [row.entry_lo, row.entry_hi],
    supersedes: row.supersedes,
    live: row.live,
    manifest: row.manifest,
    policyHash: row.policy_hash,
    maxSummaryChars: row.max_summary_chars,
    charsBefore: row.chars_before,
    charsAfter: row.chars_after,
    bytesSaved: row.bytes_saved,
    summary: row.summary === null ? null : fromStoredText(row.summary),
    summarizerModel: row.summarizer_model,
    extractive: row.extractive,
    sourceDigest: row.source_digest,
    attempts: attemptsSchema.parse(row.attempts),
    attempt: row.attempt,
    starts: row.starts,
    dispatchNo: row.dispatch_no,
    fence: row.fence,
    leaseUntil: row.lease_until,
    workerId: row.worker_id,
    usage: usageOf(row),
    requestedAt: row.queued_at,
    endedAt: row.ended_at,
  };
}

const usageOf = (row: CompactionRow): CompactionRecord['usage'] => ({
  inputTokens: row.input_tokens,
  cachedTokens: row.cached_tokens,
  outputTokens: row.output_tokens,
  costUsd: row.cost_usd,
  modelCalls: row.model_calls,
});
