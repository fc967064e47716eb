import type { WaitKind } from '#libs/engine';
import type { Session } from '../session.js';

export async function addWait(
  session: Session,
  projectId: string,
  stepRunId: string,
  wait: { kind: WaitKind; key: string; dueInMs: number | null },
): Promise<void> {
  await session`
    insert into wait (project_id, step_run_id, kind, key, due_at)
    values (${projectId}, ${stepRunId}, ${wait.kind}, ${wait.key}, now() + ${wait.dueInMs}::float8 * interval '1 millisecond')
    on conflict (project_id, step_run_id, kind, key) do update set due_at = excluded.due_at`;
}

export async function removeWaits(session: Session, projectId: string, stepRunId: string): Promise<void> {
  await session`delete from wait where project_id = ${projectId} and step_run_id = ${stepRunId}`;
}

/** Step runs that wait for this key, in the order in which they began to. */
export async function findWaiters(session: Session, projectId: string, kind: WaitKind, key: string): Promise<string[]> {
  const rows = await session<{ step_run_id: string }[]>`
    select step_run_id from wait where project_id = ${projectId} and kind = ${kind} and key = ${key} order by created_at, step_run_id`;
  return rows.map((row) => row.step_run_id);
}

/** What a step run waits for, since how long, and whether its time is over. */
export async function findWaitsOf(
  session: Session,
  projectId: string,
  stepRunId: string,
): Promise<{ kind: WaitKind; key: string; isDue: boolean; waitedMs: number }[]> {
  const rows = await session<{ kind: WaitKind; key: string; is_due: boolean; waited_ms: number }[]>`
    select kind, key, coalesce(due_at <= now(), false) as is_due,
      greatest(0, extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as waited_ms from wait
    where project_id = ${projectId} and step_run_id = ${stepRunId} order by created_at, kind, key`;
  return rows.map(({ kind, key, is_due: isDue, waited_ms: waitedMs }) => ({ kind, key, isDue, waitedMs }));
}
