import type { RunRecord } from '#libs/engine';
import type { Session } from '../session.js';

type RunOnStream = Pick<RunRecord, 'projectId' | 'streamId' | 'runId'>;

/**
 * Takes the stream when nobody holds it against this run and nobody older is in line for it against this run ("against":
 * one of the two wants it alone). The caller has locked the stream row, so two runs cannot pass at once.
 */
export async function acquireStream(session: Session, run: RunOnStream): Promise<boolean> {
  const [held] = await session`
    with own as (
      select project_id, stream_id, run_id, exclusive, created_at
      from run where run_id = ${run.runId}
    ), taken as (
      insert into stream_hold (project_id, stream_id, run_id, mode)
      select project_id, stream_id, run_id, case when exclusive then 'exclusive' else 'shared' end from own
      where ${isFree(session)} and ${isFirstInLine(session)}
      on conflict (project_id, stream_id, run_id) do nothing
      returning 1
    )
    select 1 from taken
    union all
    select 1 from stream_hold where project_id = ${run.projectId} and stream_id = ${run.streamId} and run_id = ${run.runId}`;
  return held !== undefined;
}

export async function releaseStream(session: Session, run: RunOnStream): Promise<void> {
  await session`delete from stream_hold where project_id = ${run.projectId} and stream_id = ${run.streamId} and run_id = ${run.runId}`;
}

export type StreamKey = { projectId: string; streamId: string };

/** The oldest run in line for each stream, in their order; null: nobody waits. */
export async function findNextOnStreams(session: Session, streams: readonly StreamKey[]): Promise<(string | null)[]> {
  const asked = streams.map(({ projectId, streamId }, no) => ({ no, project_id: projectId, stream_id: streamId }));
  const rows = await session<{ no: number; run_id: string }[]>`
    select a.no, own.run_id from jsonb_to_recordset((${JSON.stringify(asked)}::text)::jsonb) as a(no integer, project_id text, stream_id text)
    cross join lateral (
      select run_id from run own
      where own.project_id = a.project_id and own.stream_id = a.stream_id and ${isInLine(session, 'own')}
      order by own.created_at, own.run_id limit 1
    ) own`;
  const byNo = new Map(rows.map(({ no, run_id: runId }) => [no, runId]));
  return streams.map((_, no) => byNo.get(no) ?? null);
}

/**
 * The first in line of each stream that is free for it, oldest first; of a concurrency key as many as it has slots, so that
 * many that wait for one do not hide the others. Others that may share the stream follow when asked again.
 */
export async function findStartableRuns(
  session: Session,
  limit: number,
): Promise<{ projectId: string; runId: string }[]> {
  const rows = await session<{ projectId: string; runId: string }[]>`
    with own as (
      select distinct on (run.project_id, run.stream_id) run.project_id, run.stream_id, run.run_id, run.exclusive, run.created_at,
        run.pipeline, run.concurrency_key, run.concurrency_limit, run.status
      from run where ${isInLine(session, 'run')}
      order by run.project_id, run.stream_id, run.created_at, run.run_id
    ), taken as (
      select project_id, pipeline, concurrency_key, count(*) as runs from run
      where concurrency_key is not null and ended_at is null and status <> 'queued' group by project_id, pipeline, concurrency_key
    ), placed as (
      select own.*, row_number() over (
        partition by own.project_id, own.pipeline, own.concurrency_key, own.status order by own.created_at, own.run_id) as place
      from own where ${isFree(session)}
    )
    select p.project_id as "projectId", p.run_id as "runId" from placed p
    left join taken t on t.project_id = p.project_id and t.pipeline = p.pipeline and t.concurrency_key = p.concurrency_key
    where p.concurrency_key is null or p.status <> 'queued' or p.place <= p.concurrency_limit - coalesce(t.runs, 0)
    order by p.created_at limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}

/** Whether a run that is to start later must wait still. */
export async function isDelayed(session: Session, runId: string): Promise<boolean> {
  const [row] = await session`select 1 from run where run_id = ${runId} and start_at > clock_timestamp()`;
  return row !== undefined;
}

/** Queued and due, or waiting for the stream after it gave it back; without a hold. */
function isInLine(session: Session, alias: 'own' | 'older' | 'run') {
  const run = session(alias);
  return session`${run}.ended_at is null and (${run}.start_at is null or ${run}.start_at <= clock_timestamp())
    and (${run}.status = 'queued' or (${run}.status = 'waiting' and ${run}.status_reason = 'stream_busy'))
    and not exists (select from stream_hold h where h.project_id = ${run}.project_id and h.stream_id = ${run}.stream_id and h.run_id = ${run}.run_id)`;
}

function isFree(session: Session) {
  return session`not exists (
    select from stream_hold h
    where h.project_id = own.project_id and h.stream_id = own.stream_id and h.run_id <> own.run_id and (own.exclusive or h.mode = 'exclusive'))`;
}

function isFirstInLine(session: Session) {
  return session`not exists (
    select from run older
    where older.project_id = own.project_id and older.stream_id = own.stream_id and (own.exclusive or older.exclusive)
      and (older.created_at, older.run_id) < (own.created_at, own.run_id) and ${isInLine(session, 'older')})`;
}
