import { sql, type Kysely } from 'kysely';
import type { DatabaseSchema } from '../../schema/database-schema.js';
import { eraseRun } from './erase-run.js';

type Db = Kysely<DatabaseSchema>;

export type ExpiredRun = { projectId: string; runId: string; streamId: string; pipeline: string; endedAt: string };

/**
 * Runs that retention takes, oldest first: not a part of another run, not erased yet, and on a stream where nothing has
 * happened since: all of its runs ended before then. What a conversation that goes on may still show is kept whole.
 */
export async function findExpiredRuns(db: Db, olderThanMs: number, limit: number): Promise<ExpiredRun[]> {
  const { rows } = await sql<ExpiredRun>`
    select r.project_id as "projectId", r.run_id as "runId", r.stream_id as "streamId", r.pipeline, r.ended_at as "endedAt"
    from run r, (select clock_timestamp() - ${olderThanMs}::bigint * interval '1 millisecond' as at offset 0) cut
    where r.ended_at < cut.at and r.ancestors = '{}' and r.status_reason is distinct from 'erased'
      and not exists (
        select from run later where later.project_id = r.project_id and later.stream_id = r.stream_id
          and (later.ended_at is null or later.ended_at >= cut.at))
    order by r.ended_at, r.run_id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Erases them with the runs that they started, as DELETE of a run does, one transaction each. Returns those that are gone; one
 * that somebody uses meanwhile stays for the next time.
 */
export async function eraseExpiredRuns(
  db: Db,
  { olderThanMs, limit, actor }: { olderThanMs: number; limit: number; actor: string },
): Promise<ExpiredRun[]> {
  const erased: ExpiredRun[] = [];
  for (const run of await findExpiredRuns(db, olderThanMs, limit)) {
    const { status } = await eraseRun(db, { projectId: run.projectId, runId: run.runId, actor });
    if (status === 'erased') erased.push(run);
  }
  return erased;
}
