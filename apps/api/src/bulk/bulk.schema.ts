import { z } from 'zod';
import { RUN_STATUSES } from '#libs/domain';
import { count, line, timeFilter } from '../http/scalars.js';

export const BULK_ACTIONS = ['cancel', 'retry', 'pause', 'resume'] as const;

const filter = z
  .strictObject({
    status: z.array(z.enum(RUN_STATUSES)).min(1).optional(),
    pipeline: line(128).optional(),
    tag: line(128).optional(),
    stream_id: line(128).optional(),
    created_after: timeFilter,
    created_before: timeFilter,
  })
  .refine(
    (given) => Object.keys(given).length > 0,
    'expected at least one filter; all runs are not meant by leaving it out',
  );
export type BulkFilter = z.output<typeof filter>;

export const bulkBody = z
  .strictObject({
    action: z.enum(BULK_ACTIONS),
    filter,
    dry_run: z.boolean().default(false),
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().max(2000).nullish(),
  })
  .meta({ id: 'BulkAction', description: 'Newest runs first, `limit` of them; go on with `next_cursor`.' });
export type BulkBody = z.output<typeof bulkBody>;

export const bulkAnswer = z
  .object({
    action: z.enum(BULK_ACTIONS),
    dry_run: z.boolean(),
    matched: count,
    done: z.array(z.string()),
    skipped: z.array(z.object({ run_id: z.string(), code: z.string(), detail: z.string() })),
    next_cursor: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'BulkActionDone', description: '`done`: runs that it was done to, or with `dry_run` would be.' });
export type BulkAnswer = z.output<typeof bulkAnswer>;
