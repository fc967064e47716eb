import type { Session } from '../session.js';

type ChildWait = { projectId: string; runId: string; stepRunId: string; childId: string };

/** Steps that wait for a run which has ended: `pipeline` steps, and agents whose tool started it within the last day. */
export async function findEndedChildWaits(session: Session, limit: number): Promise<ChildWait[]> {
  const rows = await session<ChildWait[]>`
    (select s.project_id as "projectId", s.run_id as "runId", s.step_run_id as "stepRunId", child.run_id as "childId"
      from wait w
      join run child on child.run_id = w.key and child.project_id = w.project_id and child.ended_at is not null
      join step_run s on s.step_run_id = w.step_run_id and s.status = 'waiting'
      where w.kind = 'children' limit ${limit})
    union all
    (select s.project_id, s.run_id, s.step_run_id, child.run_id
      from step_run s
      join run child on child.parent_step_run_id = s.step_run_id and child.ended_at > s.waiting_since - interval '1 day'
      where s.kind = 'agent' and s.status = 'waiting' and s.reason = 'signal'
      order by random() limit ${limit})`;
  return rows.map((row) => ({ ...row }));
}

/** Runs under way whose parent step has ended without them. */
export async function findOrphanedRuns(
  session: Session,
  limit: number,
): Promise<{ projectId: string; runId: string }[]> {
  const rows = await session<{ projectId: string; runId: string }[]>`
    select child.project_id as "projectId", child.run_id as "runId" from run child
    join step_run s on s.step_run_id = child.parent_step_run_id and s.ended_at is not null
    where child.parent_step_run_id is not null and child.ended_at is null and child.cancel_requested_at is null limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}

/** Runs that these steps started and that have not ended. */
export async function findOpenChildren(session: Session, stepRunIds: readonly string[]): Promise<string[]> {
  if (stepRunIds.length === 0) return [];
  const rows = await session<{ run_id: string }[]>`
    select run_id from run where parent_step_run_id = any(${[...stepRunIds]}::text[]) and ended_at is null`;
  return rows.map(({ run_id: runId }) => runId);
}
