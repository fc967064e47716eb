import { sql, type Kysely, type Transaction } from 'kysely';
import type { CatchUpPolicy, JsonObject, OverlapPolicy, RunTemplate } from '#libs/domain';
import type { ScheduleRecord } from '#libs/engine';
import { SCHEDULE_COLUMNS, scheduleRecord } from '../operations/schedules.js';
import type { DatabaseSchema } from '../schema/database-schema.js';
import { recordAudit } from './audit.js';

type Place = { projectId: string; name: string; actor: string };

export type ScheduleInput = Place & {
  cron: string;
  timezone: string;
  overlap: OverlapPolicy;
  catchUp: CatchUpPolicy;
  catchUpWindowMs: number;
  start: RunTemplate;
  /** Its first tick from now on. */
  nextAt: string | null;
};

/** Makes a schedule or replaces one. One whose times stay keeps the tick that it stands at, and a paused one its pause. */
export async function putSchedule(
  db: Kysely<DatabaseSchema>,
  input: ScheduleInput,
): Promise<{ schedule: ScheduleRecord; isNew: boolean }> {
  return db.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom('schedule')
      .select(SCHEDULE_COLUMNS)
      .where('project_id', '=', input.projectId)
      .where('name', '=', input.name)
      .forUpdate()
      .executeTakeFirst();
    const hasSameTimes = before?.cron === input.cron && before.timezone === input.timezone;
    const values = {
      ...{ cron: input.cron, timezone: input.timezone, overlap: input.overlap, catch_up: input.catchUp },
      ...{ catch_up_window_ms: input.catchUpWindowMs, start: input.start },
      next_at: hasSameTimes ? before.next_at : input.nextAt,
    };
    const row = await tx
      .insertInto('schedule')
      .values({ project_id: input.projectId, name: input.name, revision: 1, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'name'])
          .doUpdateSet({ ...values, revision: sql`schedule.revision + 1`, updated_at: sql`now()` }),
      )
      .returning(SCHEDULE_COLUMNS)
      .executeTakeFirstOrThrow();
    await audit(tx, input, 'schedule.put', {
      cron: input.cron,
      timezone: input.timezone,
      pipeline: input.start.pipeline,
    });
    return { schedule: scheduleRecord(row), isNew: before === undefined };
  });
}

/** Its runs go on. False when the project has no such schedule. */
export async function deleteSchedule(db: Kysely<DatabaseSchema>, place: Place): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const deleted = await tx
      .deleteFrom('schedule')
      .where('project_id', '=', place.projectId)
      .where('name', '=', place.name)
      .returning('name')
      .executeTakeFirst();
    if (deleted !== undefined) await audit(tx, place, 'schedule.deleted', {});
    return deleted !== undefined;
  });
}

/** Pausing twice changes nothing. Null when the project has no such schedule. */
export async function pauseSchedule(db: Kysely<DatabaseSchema>, place: Place): Promise<ScheduleRecord | null> {
  return changePause(db, place, 'schedule.paused', { paused_at: sql<string>`coalesce(paused_at, now())` });
}

/** Goes on with `nextAt`: what passed during a pause passed on purpose. */
export async function resumeSchedule(
  db: Kysely<DatabaseSchema>,
  place: Place & { nextAt: string | null },
): Promise<ScheduleRecord | null> {
  const next_at = sql<string | null>`case when paused_at is null then next_at else ${place.nextAt}::timestamptz end`;
  return changePause(db, place, 'schedule.resumed', { paused_at: null, next_at });
}

async function changePause(
  db: Kysely<DatabaseSchema>,
  place: Place,
  action: string,
  set: { paused_at: ReturnType<typeof sql<string>> | null; next_at?: ReturnType<typeof sql<string | null>> },
): Promise<ScheduleRecord | null> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('schedule')
      .set({ ...set, revision: sql`revision + 1`, updated_at: sql`now()` })
      .where('project_id', '=', place.projectId)
      .where('name', '=', place.name)
      .returning(SCHEDULE_COLUMNS)
      .executeTakeFirst();
    if (row === undefined) return null;
    await audit(tx, place, action, {});
    return scheduleRecord(row);
  });
}

const audit = (tx: Transaction<DatabaseSchema>, place: Place, action: string, detail: JsonObject): Promise<void> =>
  recordAudit(tx, { projectId: place.projectId, actor: place.actor, action, subject: place.name, detail });
