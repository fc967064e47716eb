import type { OpenSteps } from '../flight/run-memory.js';
import type { Session } from '../session.js';

/** What of a run has not ended, by what it does. */
export async function countOpenSteps(session: Session, projectId: string, runId: string): Promise<OpenSteps> {
  const [row] = await session<OpenSteps[]>`
    select count(*) filter (where status in ('queued', 'running'))::integer as active,
      count(*) filter (where status = 'waiting')::integer as waiting,
      count(*) filter (where status = 'waiting' and kind not in ('approval', 'wait_for', 'sleep', 'for_each', 'repeat'))::integer as holding
    from step_run where project_id = ${projectId} and run_id = ${runId} and ended_at is null`;
  return row === undefined ? { active: 0, waiting: 0, holding: 0 } : { ...row };
}
