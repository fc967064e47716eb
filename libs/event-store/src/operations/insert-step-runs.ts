import type { NewStepRun } from '#libs/engine';
import type { Session } from '../session.js';

export async function insertStepRuns(session: Session, projectId: string, steps: readonly NewStepRun[]): Promise<void> {
  if (steps.length === 0) return;
  await session`
    insert into step_run (project_id, step_run_id, run_id, step_id, item, round, kind, status, priority, timeout_ms, ended_at)
    select ${projectId}, s."stepRunId", s."runId", s."stepId", s.item, s.round, s.kind, s.status, s.priority, s."timeoutMs",
      case when s.status = 'skipped' then clock_timestamp() end
    from jsonb_to_recordset((${JSON.stringify(steps)}::text)::jsonb) as s(
      "stepRunId" text, "runId" text, "stepId" text, item integer, round integer, kind text, status text, priority integer, "timeoutMs" bigint)`;
}
