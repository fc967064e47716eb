import { sql } from 'kysely';
import type { ReadDatabase } from './read-database.js';
import { noUsage, usageSums, type UsageSums } from './usage-columns.js';

/** Usage of each of these runs, with compactions and the runs that it started; a run without a step is missing. */
export async function sumUsageOfRuns(
  db: ReadDatabase,
  projectId: string,
  runIds: readonly string[],
): Promise<Map<string, UsageSums>> {
  if (runIds.length === 0) return new Map();
  const counted = sql`
    select id as run_id, id as part from unnest(${[...runIds]}::text[]) id
    union all
    select id, child.run_id from unnest(${[...runIds]}::text[]) id join run child on child.ancestors @> array[id] and child.ancestors <> '{}'`;
  const ofTable = (table: 'step_run' | 'compaction') =>
    sql`select counted.run_id, input_tokens, cached_tokens, output_tokens, cost_usd, model_calls,
          ${table === 'step_run' ? sql.ref('tool_calls') : sql.lit(0)} as tool_calls
        from ${sql.table(table)} own join (${counted}) counted on counted.part = own.run_id where own.project_id = ${projectId}`;
  const rows = await db
    .selectFrom(sql<{ run_id: string }>`(${ofTable('step_run')} union all ${ofTable('compaction')})`.as('spent'))
    .select('spent.run_id as runId')
    .select(usageSums)
    .groupBy('spent.run_id')
    .execute();
  return new Map(rows.map(({ runId, ...sums }) => [runId, sums]));
}

export type ModelUsageRow = UsageSums & { model: string };

/** Of one run, by model, from the events of its calls (failed calls that reported usage included). */
export async function sumUsageByModel(db: ReadDatabase, projectId: string, runId: string): Promise<ModelUsageRow[]> {
  const rows = await db
    .selectFrom('event')
    .leftJoin('payload', (join) =>
      join.onRef('payload.project_id', '=', 'event.project_id').onRef('payload.hash', '=', 'event.payload_hash'),
    )
    .select([
      sql<string>`coalesce(event.data, payload.body)->>'model'`.as('model'),
      usageField('input_tokens').as('inputTokens'),
      usageField('cached_tokens').as('cachedTokens'),
      usageField('output_tokens').as('outputTokens'),
      sql<number>`coalesce(sum((coalesce(event.data, payload.body)->>'cost_usd')::numeric), 0)`.as('costUsd'),
      sql<number>`count(*)`.as('modelCalls'),
      sql<number>`0::bigint`.as('toolCalls'),
    ])
    .where('event.project_id', '=', projectId)
    .where('event.run_id', '=', runId)
    .where('event.type', 'in', ['LlmCallCompleted', 'LlmCallFailed', 'ContextCompacted'])
    .groupBy(sql`1`)
    .orderBy(sql`1`)
    .execute();
  return rows;
}

const usageField = (name: 'input_tokens' | 'cached_tokens' | 'output_tokens') =>
  sql<number>`coalesce(sum((coalesce(event.data, payload.body)->'usage'->>${sql.lit(name)})::numeric), 0)`;

export type ChildUsageRow = UsageSums & { runId: string; pipeline: string; stepId: string; item: number | null };

/** Of the runs that the steps of this one started, oldest first, each with all that it started itself. */
export async function listChildUsage(db: ReadDatabase, projectId: string, runId: string): Promise<ChildUsageRow[]> {
  const children = await db
    .selectFrom('step_run as parent')
    .innerJoin('run as child', 'child.parent_step_run_id', 'parent.step_run_id')
    .select(['child.run_id as runId', 'child.pipeline', 'parent.step_id as stepId', 'parent.item'])
    .where('parent.project_id', '=', projectId)
    .where('parent.run_id', '=', runId)
    .where('child.project_id', '=', projectId)
    .orderBy('child.created_at')
    .orderBy('child.run_id')
    .execute();
  const runIds = children.map((child) => child.runId);
  const sums = await sumUsageOfRuns(db, projectId, runIds);
  return children.map((child) => ({ ...child, ...(sums.get(child.runId) ?? noUsage) }));
}

export type CompactionUsageRow = UsageSums & { compactionId: string };

export async function listCompactionUsage(
  db: ReadDatabase,
  projectId: string,
  runId: string,
): Promise<CompactionUsageRow[]> {
  const rows = await db
    .selectFrom('compaction')
    .select([
      'compaction_id as compactionId',
      'input_tokens as inputTokens',
      'cached_tokens as cachedTokens',
      'output_tokens as outputTokens',
      'cost_usd as costUsd',
      'model_calls as modelCalls',
    ])
    .where('project_id', '=', projectId)
    .where('run_id', '=', runId)
    .orderBy('queued_at')
    .execute();
  return rows.map((row) => ({ ...row, toolCalls: 0 }));
}
