import { sql } from 'kysely';
import type { StepRunRecord } from '#libs/engine';
import { STEP_RUN_COLUMNS, stepRunRecord } from '../operations/step-run-row.js';
import type { PageRequest, ReadDatabase } from './read-database.js';

export type StepKey = { stepId: string; item: number; round: number };
/** The order of lists: rows without an item stand before items. */
export const stepKeyOf = (step: Pick<StepRunRecord, 'stepId' | 'item' | 'round'>): StepKey => ({
  stepId: step.stepId,
  item: step.item ?? -1,
  round: step.round,
});

type StepFilters = { projectId: string; runId: string; stepId?: string; onlyItems?: boolean };

/** By step id, item, round. */
export async function listSteps(
  db: ReadDatabase,
  filters: StepFilters,
  page: PageRequest<StepKey>,
): Promise<StepRunRecord[]> {
  let query = db
    .selectFrom('step_run')
    .select(STEP_RUN_COLUMNS)
    .where('project_id', '=', filters.projectId)
    .where('run_id', '=', filters.runId)
    .orderBy('step_id')
    .orderBy(sql`coalesce(item, -1)`)
    .orderBy('round');
  if (filters.stepId !== undefined) query = query.where('step_id', '=', filters.stepId);
  if (filters.onlyItems === true) query = query.where('item', 'is not', null);
  const { after } = page;
  if (after !== null)
    query = query.where(
      sql<boolean>`(step_id, coalesce(item, -1), round) > (${after.stepId}, ${after.item}::integer, ${after.round}::integer)`,
    );
  return (await query.limit(page.limit + 1).execute()).map(stepRunRecord);
}

type StepPlace = { projectId: string; runId: string; stepId: string; item: number | null; round: number | null };

/** `round` null: the latest. */
export async function findStep(db: ReadDatabase, place: StepPlace): Promise<StepRunRecord | null> {
  let query = db
    .selectFrom('step_run')
    .select(STEP_RUN_COLUMNS)
    .where('project_id', '=', place.projectId)
    .where('run_id', '=', place.runId)
    .where('step_id', '=', place.stepId)
    .where('item', place.item === null ? 'is' : '=', place.item)
    .orderBy('round', 'desc');
  if (place.round !== null) query = query.where('round', '=', place.round);
  const found = await query.limit(1).executeTakeFirst();
  return found === undefined ? null : stepRunRecord(found);
}

/** The highest item that a step of a `for_each` has begun, they count from 0; null: it has none. */
export async function lastItemOf(
  db: ReadDatabase,
  place: Pick<StepPlace, 'projectId' | 'runId' | 'stepId'>,
): Promise<number | null> {
  const found = await db
    .selectFrom('step_run')
    .select((of) => of.fn.max('item').as('last'))
    .where('project_id', '=', place.projectId)
    .where('run_id', '=', place.runId)
    .where('step_id', '=', place.stepId)
    .executeTakeFirst();
  return found?.last ?? null;
}

/** Steps of these runs that have not ended. */
export async function listOpenSteps(
  db: ReadDatabase,
  projectId: string,
  runIds: readonly string[],
): Promise<StepRunRecord[]> {
  if (runIds.length === 0) return [];
  const rows = await db
    .selectFrom('step_run')
    .select(STEP_RUN_COLUMNS)
    .where('project_id', '=', projectId)
    .where('run_id', 'in', [...runIds])
    .where('status', 'in', ['pending', 'queued', 'running', 'waiting'])
    .orderBy('step_id')
    .orderBy('item')
    .execute();
  return rows.map(stepRunRecord);
}
