import type { ScheduleRecord, TickRecord } from '#libs/engine';
import { fromStoredText } from '../encoding/stored-text.js';
import { SCHEDULE_COLUMNS, scheduleRecord } from '../operations/schedules.js';
import type { PageRequest, ReadDatabase } from './read-database.js';

export async function findSchedule(db: ReadDatabase, projectId: string, name: string): Promise<ScheduleRecord | null> {
  const row = await db
    .selectFrom('schedule')
    .select(SCHEDULE_COLUMNS)
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row === undefined ? null : scheduleRecord(row);
}

/** By name. */
export async function listSchedules(
  db: ReadDatabase,
  projectId: string,
  page: PageRequest<string>,
): Promise<ScheduleRecord[]> {
  const rows = await db
    .selectFrom('schedule')
    .select(SCHEDULE_COLUMNS)
    .where('project_id', '=', projectId)
    .where((eb) => eb.and(page.after === null ? [] : [eb('name', '>', page.after)]))
    .orderBy('name')
    .limit(page.limit + 1)
    .execute();
  return rows.map(scheduleRecord);
}

/** Newest first; `after`: the time of a tick. */
export async function listTicks(
  db: ReadDatabase,
  projectId: string,
  name: string,
  page: PageRequest<string>,
): Promise<TickRecord[]> {
  const rows = await db
    .selectFrom('schedule_tick')
    .select(['tick_at', 'outcome', 'is_manual', 'ticks', 'run_id', 'detail', 'recorded_at'])
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .where((eb) => eb.and(page.after === null ? [] : [eb('tick_at', '<', page.after)]))
    .orderBy('tick_at', 'desc')
    .limit(page.limit + 1)
    .execute();
  return rows.map((row) => ({
    at: row.tick_at,
    outcome: row.outcome,
    isManual: row.is_manual,
    ticks: row.ticks,
    runId: row.run_id,
    detail: row.detail === null ? null : fromStoredText(row.detail),
    recordedAt: row.recorded_at,
  }));
}
