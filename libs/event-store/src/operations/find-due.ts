import type { Session } from '../session.js';

export type DueRun = { projectId: string; runId: string };
export type DueStep = DueRun & { stepRunId: string };

/** Steps that wait for something that was due. */
export async function findDueWaits(session: Session, limit: number): Promise<DueStep[]> {
  const rows = await session<DueStep[]>`
    select w.project_id as "projectId", s.run_id as "runId", w.step_run_id as "stepRunId"
    from wait w
    cross join lateral (select run_id from step_run where step_run_id = w.step_run_id and status = 'waiting' limit 1) s
    where w.due_at <= now() order by w.due_at limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}

/** Runs over their time-out or deadline. */
export async function findDueRuns(session: Session, limit: number): Promise<DueRun[]> {
  const rows = await session<DueRun[]>`
    select project_id as "projectId", run_id as "runId" from run
    where ended_at is null and timeout_at <= now() order by timeout_at limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}

/** Waiting steps whose delay is over, and steps (waiting, queued, running) over their attempt's time-out. */
export async function findDueSteps(session: Session, limit: number): Promise<(DueStep & { asOf: string })[]> {
  const rows = await session<(DueStep & { asOf: string })[]>`
    (select project_id as "projectId", run_id as "runId", step_run_id as "stepRunId", due_at as due, now() as "asOf" from step_run
      where status = 'waiting' and due_at <= now() order by due_at limit ${limit})
    union
    (select project_id, run_id, step_run_id, timeout_at, now() from step_run
      where handed_out and timeout_at <= now() order by timeout_at limit ${limit})
    union
    (select project_id, run_id, step_run_id, idle_timeout_at, now() from step_run
      where idle_timeout_at <= now() order by idle_timeout_at limit ${limit})
    order by due limit ${limit}`;
  return [
    ...new Map(
      rows.map(({ projectId, runId, stepRunId, asOf }) => [stepRunId, { projectId, runId, stepRunId, asOf }]),
    ).values(),
  ];
}

/** Runs that are under way and have no step that could move them. Those in line for their stream are not stuck. */
export async function findStuckRuns(session: Session, limit: number): Promise<DueRun[]> {
  const rows = await session<DueRun[]>`
    select r.project_id as "projectId", r.run_id as "runId" from run r
    where r.ended_at is null and r.status in ('running', 'waiting', 'cancelling') and r.status_reason is distinct from 'stream_busy'
      and (
        select 1 from step_run s
        where s.project_id = r.project_id and s.run_id = r.run_id and s.status in ('queued', 'running', 'waiting') limit 1
      ) is null
    order by r.created_at limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}
