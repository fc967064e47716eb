import { sql } from 'kysely';
import type { ReadDatabase } from './read-database.js';

/** Compactions of the installation that ended alike. `why`: what the last attempt said, for those that were skipped. */
export type CompactionCount = {
  status: string;
  why: string | null;
  extractive: boolean;
  count: number;
  charsFreed: number;
  costUsd: number;
  waits: number;
  waitedMs: number;
};

/** All that there ever were, grouped: what counters show. Rows are few, one per summary. */
export async function countCompactionEnds(db: ReadDatabase): Promise<CompactionCount[]> {
  return db
    .selectFrom('compaction')
    .select([
      'status',
      'extractive',
      sql<string | null>`case when status = 'skipped' then attempts -> -1 ->> 'outcome' end`.as('why'),
      sql<number>`count(*)`.as('count'),
      sql<number>`coalesce(sum(chars_before - chars_after) filter (where status = 'compacted'), 0)`.as('charsFreed'),
      sql<number>`coalesce(sum(cost_usd), 0)`.as('costUsd'),
      sql<number>`coalesce(sum(waits), 0)`.as('waits'),
      sql<number>`coalesce(sum(waited_ms), 0)`.as('waitedMs'),
    ])
    .groupBy(['status', 'extractive', sql`3`])
    .execute();
}

/**
 * Requests in a row, of each view that has any, whose models all failed since one of them last wrote a summary: what the
 * breaker of the view is read from, here from the rows.
 */
export async function listModelFailures(db: ReadDatabase): Promise<number[]> {
  const rows = await sql<{ failures: number }>`
    select count(*) as failures
    from compaction c
    where c.models_failed and c.queued_at > coalesce((
      select max(good.queued_at) from compaction good
      where good.project_id = c.project_id and good.stream_id = c.stream_id
        and good.view_run_id is not distinct from c.view_run_id and good.status = 'compacted' and not good.extractive
    ), '-infinity')
    group by c.project_id, c.stream_id, c.view_run_id`.execute(db);
  return rows.rows.map(({ failures }) => failures);
}
