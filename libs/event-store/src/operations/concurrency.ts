import type { RunRecord } from '#libs/engine';
import type { Session } from '../session.js';

/**
 * Whether a run may begin under its concurrency key: fewer than `limit` are under way, and those that waited before it
 * have their place. Slots are counted from the runs themselves, so none is ever lost or taken twice. Serialised per key
 * until the transaction ends.
 */
export async function hasConcurrencySlot(
  session: Session,
  run: Pick<RunRecord, 'projectId' | 'runId' | 'pipeline' | 'concurrency'>,
): Promise<boolean> {
  if (run.concurrency === null) return true;
  const { key, limit } = run.concurrency;
  await session`select pg_advisory_xact_lock(hashtextextended(${`concurrency:${run.projectId}:${run.pipeline}:${key}`}, 0))`;
  const [row] = await session<{ taken: number }[]>`
    select count(*)::integer as taken from run other, run own
    where own.run_id = ${run.runId} and other.project_id = ${run.projectId} and other.pipeline = ${run.pipeline}
      and other.concurrency_key = ${key} and other.concurrency_key is not null and other.ended_at is null and other.run_id <> own.run_id
      and (other.status <> 'queued'
        or (other.status_reason = 'concurrency' and (other.created_at, other.run_id) < (own.created_at, own.run_id)))`;
  return (row?.taken ?? 0) < limit;
}

/** Those under way with this key, the oldest first. */
export async function findConcurrencyHolders(
  session: Session,
  { projectId, runId, pipeline, concurrency }: Pick<RunRecord, 'projectId' | 'runId' | 'pipeline' | 'concurrency'>,
  limit: number,
): Promise<string[]> {
  if (concurrency === null) return [];
  const rows = await session<{ run_id: string }[]>`
    select run_id from run
    where project_id = ${projectId} and pipeline = ${pipeline} and concurrency_key = ${concurrency.key}
      and concurrency_key is not null and ended_at is null and status <> 'queued' and run_id <> ${runId}
    order by created_at, run_id limit ${limit}`;
  return rows.map((row) => row.run_id);
}

/** The oldest run that waits for a slot of this key alone. */
export async function findNextOfConcurrency(
  session: Session,
  at: { projectId: string; pipeline: string; key: string },
): Promise<string | null> {
  const [row] = await session<{ run_id: string }[]>`
    select run_id from run
    where project_id = ${at.projectId} and pipeline = ${at.pipeline} and concurrency_key = ${at.key} and concurrency_key is not null
      and ended_at is null and status = 'queued' and status_reason = 'concurrency'
    order by created_at, run_id limit 1`;
  return row?.run_id ?? null;
}
