import { z } from 'zod';
import { pageQuery } from '../http/list-page.js';
import { anyJson, count, itemInBody, itemNumber, line, time, usage } from '../http/scalars.js';

const status = z.enum(['requested', 'running', 'compacted', 'skipped', 'discarded', 'failed', 'rolled_back']);

export const compactionListQuery = z.strictObject({
  ...pageQuery,
  stream_id: line(400).optional(),
  status: status.optional(),
  /** Those that cover this entry of the (sub-)stream: from an event to the summaries it went into. */
  entry: itemNumber.optional(),
});

const range = z.tuple([count, count]);

export const compaction = z
  .object({
    id: z.string(),
    stream_id: z.string(),
    run_id: z.string().nullable(),
    status,
    reason: z.string(),
    range,
    entries: range,
    supersedes: z.string().nullable(),
    live: z.boolean(),
    chars_before: count.nullable(),
    chars_after: count.nullable(),
    bytes_saved: z.int().nullable(),
    summary: z.string().nullable(),
    summarizer: z.object({ model: z.string().nullable(), extractive: z.boolean() }),
    source_digest: z.string().nullable(),
    policy_hash: z.string(),
    usage,
    attempts: z.array(anyJson),
    requested_at: time,
    ended_at: time.nullable(),
    allowed_actions: z.array(z.enum(['retry', 'rollback'])),
  })
  .meta({
    id: 'Compaction',
    description:
      '`range` (seqs) and `entries` are inclusive; `…/events` gives the events behind them. `attempts[].outcome` says why one was skipped. `summary` is null for keys without `content:read`.',
  });
export type Compaction = z.output<typeof compaction>;

const STEP_ID_CHARS = 64;

export const requestCompactionBody = z
  .strictObject({
    step_id: line(STEP_ID_CHARS).optional(),
    item: itemInBody.optional(),
    run_id: line(200).optional(),
    min_tail_turns: z.int().min(0).max(1000).optional(),
  })
  .optional()
  .meta({
    id: 'RequestCompaction',
    description:
      '`step_id` may be left out where the path names a sub-stream or the stream has one only. `run_id`: the view of that run (`fresh` steps); else that of the last start. `min_tail_turns`: this once in place of the policy’s, for a tail that is itself too large.',
  });
export type RequestCompactionBody = z.output<typeof requestCompactionBody>;
