import { z } from 'zod';
import { pageQuery } from '../http/list-page.js';
import { anyJson, count, line, time, usage } from '../http/scalars.js';

const status = z.enum(['requested', 'running', 'compacted', 'skipped', 'discarded', 'failed', 'rolled_back']);

export const compactionListQuery = z.strictObject({
  ...pageQuery,
  stream_id: line(400).optional(),
  status: status.optional(),
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
  })
  .meta({ id: 'Compaction', description: '`summary` is null for keys without `content:read`.' });
export type Compaction = z.output<typeof compaction>;
