import type { Selectable } from 'kysely';
import { runTemplateSchema } from '#libs/domain';
import type { LockedSchedule, NewTick, ScheduleRecord } from '#libs/engine';
import { toStoredText } from '../encoding/stored-text.js';
import type { ScheduleTable } from '../schema/schedule.table.js';
import type { Session } from '../session.js';

export const SCHEDULE_COLUMNS = [
  'project_id',
  'name',
  'cron',
  'timezone',
  'overlap',
  'catch_up',
  'catch_up_window_ms',
  'start',
  'revision',
  'paused_at',
  'next_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ScheduleTable)[];

export type ScheduleRow = Pick<Selectable<ScheduleTable>, (typeof SCHEDULE_COLUMNS)[number]>;

export function scheduleRecord(row: ScheduleRow): ScheduleRecord {
  return {
    projectId: row.project_id,
    name: row.name,
    cron: row.cron,
    timezone: row.timezone,
    overlap: row.overlap,
    catchUp: row.catch_up,
    catchUpWindowMs: row.catch_up_window_ms,
    start: runTemplateSchema.parse(row.start),
    revision: row.revision,
    pausedAt: row.paused_at,
    nextAt: row.next_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Rows of other processes are theirs: nobody waits. */
export async function lockSchedule(session: Session, projectId: string, name: string): Promise<LockedSchedule | null> {
  const [row] = await session<(ScheduleRow & { now_ms: number })[]>`
    select ${session(SCHEDULE_COLUMNS)}, (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms from schedule
    where project_id = ${projectId} and name = ${name} for no key update skip locked`;
  if (row === undefined) return null;
  const open = await session<{ run_id: string }[]>`
    select r.run_id from schedule_tick t
    cross join lateral (select run_id from run where run_id = t.run_id and ended_at is null limit 1) r
    where t.project_id = ${projectId} and t.name = ${name} and t.run_id is not null order by t.tick_at`;
  return { schedule: scheduleRecord(row), openRuns: open.map(({ run_id }) => run_id), now: Math.floor(row.now_ms) };
}

export async function moveSchedule(
  session: Session,
  projectId: string,
  name: string,
  nextAt: string | null,
): Promise<void> {
  await session`
    update schedule set next_at = ${nextAt}::timestamptz where project_id = ${projectId} and name = ${name}`;
}

/** Ticks that are kept besides those whose runs go on. */
const KEPT_TICKS = 200;

/** A tick is inserted once; older ones are forgotten. */
export async function insertTick(session: Session, tick: NewTick): Promise<void> {
  await session`
    insert into schedule_tick (project_id, name, tick_at, outcome, is_manual, ticks, run_id, detail)
    values (${tick.projectId}, ${tick.name}, coalesce(${tick.at}::timestamptz, clock_timestamp()), ${tick.outcome}, ${tick.isManual}, ${tick.ticks},
      ${tick.runId}, ${tick.detail === null ? null : toStoredText(tick.detail)})`;
  await session`
    delete from schedule_tick t where t.project_id = ${tick.projectId} and t.name = ${tick.name}
      and t.tick_at <= (select tick_at from schedule_tick o where o.project_id = ${tick.projectId} and o.name = ${tick.name}
        order by o.tick_at desc offset ${KEPT_TICKS} limit 1)
      and not exists (select 1 from run r where r.run_id = t.run_id and r.ended_at is null)`;
}

export async function findDueSchedules(
  session: Session,
  limit: number,
): Promise<{ projectId: string; name: string }[]> {
  const rows = await session<{ projectId: string; name: string }[]>`
    select project_id as "projectId", name from schedule
    where paused_at is null and next_at is not null and next_at <= clock_timestamp() order by next_at limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}
