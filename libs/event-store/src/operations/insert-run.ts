import type { NewRun } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import type { Session } from '../session.js';

/** A queued run. Its deadline bounds the time in the queue too; starting it sets timeout_at anew. */
export async function insertRun(session: Session, run: NewRun): Promise<void> {
  await session`
    insert into run (project_id, run_id, pipeline, pipeline_version, stream_id, status, status_reason, inputs, tags, metadata, priority,
      on_busy, exclusive, deadline_at, timeout_ms, timeout_at, ancestors, parent_step_run_id, spend_limit, concurrency_key, concurrency_limit, start_at)
    values (${run.projectId}, ${run.runId}, ${run.pipeline}, ${run.pipelineVersion}, ${run.streamId}, 'queued', ${run.statusReason},
      (${toStoredJson(run.inputs)}::text)::jsonb, ${run.tags}::text[], (${toStoredJson(run.metadata)}::text)::jsonb, ${run.priority},
      ${run.onBusy}, ${run.exclusive}, ${run.deadlineAt}::timestamptz, ${run.timeoutMs}, ${run.deadlineAt}::timestamptz,
      ${run.ancestors}::text[], ${run.parentStepRunId}, (${toStoredJson(run.spendLimit)}::text)::jsonb, ${run.concurrency?.key ?? null}, ${run.concurrency?.limit ?? null},
      clock_timestamp() + ${run.delayMs}::bigint * interval '1 millisecond')`;
}
