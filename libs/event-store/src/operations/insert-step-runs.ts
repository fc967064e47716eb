import type { NewStepRun } from '#libs/engine';
import { toStoredText } from '../encoding/stored-text.js';
import { noChanges } from '../flight/run-changes.js';
import type { Session } from '../session.js';
import { writeRunChanges } from './write-run-changes.js';

type StepToInsert = NewStepRun & { projectId: string };

export async function insertStepRuns(session: Session, steps: readonly StepToInsert[]): Promise<void> {
  const newSteps = steps.filter(({ attempt }) => attempt === 1).map((step) => ({ ...step, lane: null }));
  await writeRunChanges(session, [{ ...noChanges(), newSteps }]);
  await reopenStepRuns(
    session,
    steps.filter(({ attempt }) => attempt > 1),
  );
}

/** Steps that were retried: their rows are there, `pending`. */
async function reopenStepRuns(session: Session, steps: readonly StepToInsert[]): Promise<void> {
  if (steps.length === 0) return;
  const rows = steps.map((step) => ({
    ...{ one: 1, project_id: step.projectId, step_run_id: step.stepRunId, kind: step.kind, status: step.status },
    ...{ priority: step.priority, timeout_ms: step.timeoutMs, reason: step.reason },
    waiting_key: step.waitingKey == null ? null : toStoredText(step.waitingKey),
  }));
  await session`
    update step_run t set kind = s.kind, status = s.status, priority = s.priority, timeout_ms = s.timeout_ms, reason = s.reason,
      waiting_key = s.waiting_key, ended_at = case when s.status = 'skipped' then clock_timestamp() end,
      waiting_since = case when s.status = 'waiting' then clock_timestamp() end,
      started_at = case when s.status = 'waiting' then clock_timestamp() else t.started_at end,
      timeout_at = case when s.status = 'waiting' then clock_timestamp() + s.timeout_ms * interval '1 millisecond' end,
      dispatched_at = null, queued_at = clock_timestamp(), dispatch_no = t.dispatch_no + case when s.status = 'queued' then 1 else 0 end
    from jsonb_to_recordset((${JSON.stringify(rows)}::text)::jsonb) as s(one integer, project_id text, step_run_id text, kind text,
      status text, priority integer, timeout_ms bigint, reason text, waiting_key text)
    where s.one = 1 and t.project_id = s.project_id and t.step_run_id = s.step_run_id and t.status = 'pending'`;
}
