import type { NewStepRun } from '#libs/engine';
import { toStoredText } from '../encoding/stored-text.js';
import type { Session } from '../session.js';

type StepToInsert = NewStepRun & { projectId: string };

/** Their lane is that of the outermost run: its concurrency key, or else its pipeline. */
export async function insertStepRuns(session: Session, steps: readonly StepToInsert[]): Promise<void> {
  if (steps.length === 0) return;
  await session`
    insert into step_run (project_id, step_run_id, run_id, step_id, item, round, kind, status, attempt, priority, timeout_ms, ended_at, reason, waiting_key, waiting_since, started_at, timeout_at, dispatched_at, fence, starts, worker_id, worker_bytes, lease_until, lane)
    select s."projectId", s."stepRunId", s."runId", s."stepId", s.item, s.round, s.kind, s.status, s.attempt, s.priority, s."timeoutMs",
      case when s.status = 'skipped' then clock_timestamp() end, s.reason, s."waitingKey",
      case when s.status = 'waiting' then clock_timestamp() end, case when s.status in ('waiting', 'running') then clock_timestamp() end,
      case when s.status in ('waiting', 'running') then clock_timestamp() + s."timeoutMs" * interval '1 millisecond' end,
      case when s."isDispatched" or s.status = 'running' then now() end, (s.status = 'running')::integer, (s.status = 'running')::integer,
      s.lease ->> 'workerId', (s.lease ->> 'workerBytes')::bigint, clock_timestamp() + (s.lease ->> 'leaseMs')::float8 * interval '1 millisecond',
      (select coalesce(root.concurrency_key, root.pipeline) from run own
        join run root on root.run_id = coalesce(own.ancestors[1], own.run_id) where own.run_id = s."runId")
    from jsonb_to_recordset((${JSON.stringify(steps.map(withStoredKey))}::text)::jsonb) as s(
      "projectId" text, "stepRunId" text, "runId" text, "stepId" text, item integer, round integer, kind text, status text, attempt integer, priority integer, "timeoutMs" bigint, reason text, "waitingKey" text, "isDispatched" boolean, lease jsonb)
    on conflict (project_id, step_run_id) do update set kind = excluded.kind, status = excluded.status, priority = excluded.priority,
      timeout_ms = excluded.timeout_ms, ended_at = excluded.ended_at, reason = excluded.reason, waiting_key = excluded.waiting_key,
      waiting_since = excluded.waiting_since, started_at = coalesce(excluded.started_at, step_run.started_at),
      timeout_at = excluded.timeout_at, dispatched_at = null, queued_at = clock_timestamp(),
      dispatch_no = step_run.dispatch_no + case when excluded.status = 'queued' then 1 else 0 end
    where step_run.status = 'pending' and excluded.attempt > 1`;
}

function withStoredKey(step: StepToInsert): StepToInsert {
  return step.waitingKey == null ? step : { ...step, waitingKey: toStoredText(step.waitingKey) };
}
