import { sql, type RawBuilder } from 'kysely';
import type { ReadDatabase } from './read-database.js';
import type { UsageSums } from './usage-columns.js';

export const USAGE_GROUPS = ['pipeline', 'model', 'day'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export type UsageReportRow = UsageSums & { pipeline: string | null; model: string | null; day: string | null };

export type UsageReportQuery = {
  projectId: string;
  groups: readonly UsageGroup[];
  /** RFC 3339; from inclusive, until exclusive. */
  from: string | null;
  until: string | null;
};

const MAX_ROWS = 10_000;

/**
 * What model and tool calls were spent, from their events: one row per combination of the groups, those not asked for
 * are null. Days are UTC days. Tool calls know no model: with the group `model` they stand in rows without one.
 */
export async function reportUsage(db: ReadDatabase, query: UsageReportQuery): Promise<UsageReportRow[]> {
  const column = (group: UsageGroup, expression: RawBuilder<string | null>): RawBuilder<string | null> =>
    query.groups.includes(group) ? expression : sql<string | null>`null::text`;
  const body = sql`coalesce(event.data, payload.body)`;
  const spent = (name: string): RawBuilder<number> =>
    sql<number>`coalesce(sum((${body}->'usage'->>${sql.lit(name)})::numeric), 0)`;
  let report = db
    .selectFrom('event')
    .leftJoin('payload', (join) =>
      join.onRef('payload.project_id', '=', 'event.project_id').onRef('payload.hash', '=', 'event.payload_hash'),
    )
    .leftJoin('run', (join) =>
      join.onRef('run.project_id', '=', 'event.project_id').onRef('run.run_id', '=', 'event.run_id'),
    )
    .select([
      column('pipeline', sql<string | null>`run.pipeline`).as('pipeline'),
      column('model', sql<string | null>`${body}->>'model'`).as('model'),
      column('day', sql<string | null>`to_char(event.recorded_at at time zone 'UTC', 'YYYY-MM-DD')`).as('day'),
      spent('input_tokens').as('inputTokens'),
      spent('cached_tokens').as('cachedTokens'),
      spent('output_tokens').as('outputTokens'),
      sql<number>`coalesce(sum((${body}->>'cost_usd')::numeric), 0)`.as('costUsd'),
      sql<number>`count(*) filter (where event.type <> 'ToolCallCompleted')`.as('modelCalls'),
      sql<number>`count(*) filter (where event.type = 'ToolCallCompleted')`.as('toolCalls'),
    ])
    .where('event.project_id', '=', query.projectId)
    .where('event.type', 'in', ['LlmCallCompleted', 'LlmCallFailed', 'ContextCompacted', 'ToolCallCompleted'])
    .groupBy([sql`1`, sql`2`, sql`3`])
    .orderBy(sql`3`)
    .orderBy(sql`1`)
    .orderBy(sql`2`)
    .limit(MAX_ROWS);
  if (query.from !== null) report = report.where(sql<boolean>`event.recorded_at >= ${query.from}::timestamptz`);
  if (query.until !== null) report = report.where(sql<boolean>`event.recorded_at < ${query.until}::timestamptz`);
  return report.execute();
}
