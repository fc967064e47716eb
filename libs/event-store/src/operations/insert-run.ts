import type { NewRun } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import type { Session } from '../session.js';

type RunToInsert = NewRun & {
  /** Null: now. */
  createdAt?: string;
  /** It runs from its first moment on. */
  isStarted?: boolean;
};

/** A queued run. Its deadline bounds the time in the queue too; starting it sets timeout_at anew. */
export const insertRun = (session: Session, run: NewRun): Promise<void> => insertRuns(session, [run]);

export async function insertRuns(session: Session, runs: readonly RunToInsert[]): Promise<void> {
  if (runs.length === 0) return;
  await session`
    insert into run (project_id, run_id, pipeline, pipeline_version, stream_id, status, status_reason, inputs, tags, metadata, priority,
      on_busy, exclusive, deadline_at, timeout_ms, timeout_at, ancestors, parent_step_run_id, spend_limit, concurrency_key, concurrency_limit,
      start_at, created_at, started_at, traceparent)
    select r.project_id, r.run_id, r.pipeline, r.pipeline_version, r.stream_id, case when r.is_started then 'running' else 'queued' end,
      r.status_reason, r.inputs, r.tags, r.metadata, r.priority, r.on_busy, r.exclusive, r.deadline_at, r.timeout_ms,
      case when r.is_started then least(r.deadline_at, c.now + r.timeout_ms * interval '1 millisecond') else r.deadline_at end,
      r.ancestors, r.parent_step_run_id, r.spend_limit, r.concurrency_key, r.concurrency_limit,
      c.now + r.delay_ms * interval '1 millisecond', coalesce(r.created_at, c.now), case when r.is_started then c.now end, r.traceparent
    from (select clock_timestamp() as now offset 0) c,
      jsonb_to_recordset((${`[${runs.map(runRow).join(',')}]`}::text)::jsonb) as r(
        project_id text, run_id text, pipeline text, pipeline_version integer, stream_id text, status_reason text, is_started boolean,
        inputs jsonb, tags text[], metadata jsonb, priority integer, on_busy text, exclusive boolean, deadline_at timestamptz,
        timeout_ms bigint, ancestors text[], parent_step_run_id text, spend_limit jsonb, concurrency_key text,
        concurrency_limit integer, delay_ms bigint, created_at timestamptz, traceparent text)`;
}

function runRow(run: RunToInsert): string {
  // The whole of it is stored JSON: free text may stand in tags too.
  return (
    toStoredJson({
      ...{
        project_id: run.projectId,
        run_id: run.runId,
        pipeline: run.pipeline,
        pipeline_version: run.pipelineVersion,
      },
      ...{ stream_id: run.streamId, status_reason: run.statusReason, is_started: run.isStarted ?? false },
      ...{ inputs: run.inputs, tags: run.tags, metadata: run.metadata, priority: run.priority, on_busy: run.onBusy },
      ...{ exclusive: run.exclusive, deadline_at: run.deadlineAt, timeout_ms: run.timeoutMs, ancestors: run.ancestors },
      ...{ parent_step_run_id: run.parentStepRunId, spend_limit: run.spendLimit ?? null },
      ...{ concurrency_key: run.concurrency?.key ?? null, concurrency_limit: run.concurrency?.limit ?? null },
      ...{ delay_ms: run.delayMs, created_at: run.createdAt ?? null, traceparent: run.traceparent ?? null },
    }) ?? 'null'
  );
}
