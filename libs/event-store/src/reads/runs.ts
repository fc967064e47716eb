import { sql, type Expression, type SqlBool } from 'kysely';
import type { RunStatus } from '#libs/domain';
import type { RunRecord } from '#libs/engine';
import { RUN_COLUMNS, runRecord } from '../operations/run-row.js';
import type { PageRequest, ReadDatabase } from './read-database.js';

export type RunFilters = {
  statuses?: readonly RunStatus[];
  pipeline?: string;
  tag?: string;
  streamId?: string;
  /** RFC 3339, both exclusive. */
  createdAfter?: string;
  createdBefore?: string;
};

export type RunKey = { createdAt: string; runId: string };

/** Newest first. */
export async function listRuns(
  db: ReadDatabase,
  projectId: string,
  filters: RunFilters,
  page: PageRequest<RunKey>,
): Promise<RunRecord[]> {
  const rows = await db
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where('project_id', '=', projectId)
    .where((eb) => eb.and([...conditions(filters), ...afterKey(page.after)]))
    .orderBy('created_at', 'desc')
    .orderBy('run_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return rows.map(runRecord);
}

function conditions(filters: RunFilters): Expression<SqlBool>[] {
  const { statuses, pipeline, tag, streamId, createdAfter, createdBefore } = filters;
  return [
    ...(statuses === undefined ? [] : [sql<SqlBool>`status = any(${[...statuses]}::text[])`]),
    ...(pipeline === undefined ? [] : [sql<SqlBool>`pipeline = ${pipeline}`]),
    // The containment operator is what the index on tags answers.
    ...(tag === undefined ? [] : [sql<SqlBool>`tags @> ${[tag]}::text[] and tags <> '{}'`]),
    ...(streamId === undefined ? [] : [sql<SqlBool>`stream_id = ${streamId}`]),
    ...(createdAfter === undefined ? [] : [sql<SqlBool>`created_at > ${createdAfter}::timestamptz`]),
    ...(createdBefore === undefined ? [] : [sql<SqlBool>`created_at < ${createdBefore}::timestamptz`]),
  ];
}

function afterKey(key: RunKey | null): Expression<SqlBool>[] {
  if (key === null) return [];
  return [sql<SqlBool>`(created_at, run_id) < (${key.createdAt}::timestamptz, ${key.runId})`];
}

/** The cheapest answer to whether a run has ended. */
export async function findRunStatus(db: ReadDatabase, projectId: string, runId: string): Promise<RunStatus | null> {
  const found = await db
    .selectFrom('run')
    .select('status')
    .where('project_id', '=', projectId)
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return found?.status ?? null;
}
