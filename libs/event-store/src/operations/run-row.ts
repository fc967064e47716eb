import type { Selectable } from 'kysely';
import { isJsonObject, runErrorSchema, spendLimitSchema, type Json, type RunError } from '#libs/domain';
import type { RunRecord } from '#libs/engine';
import { fromStoredText } from '../encoding/stored-text.js';
import type { RunTable } from '../schema/run.table.js';

/** Named one by one: a prepared `select *` fails after a migration adds a column. */
export const RUN_COLUMNS = [
  'project_id',
  'run_id',
  'pipeline',
  'pipeline_version',
  'stream_id',
  'status',
  'status_reason',
  'inputs',
  'output',
  'error',
  'tags',
  'metadata',
  'priority',
  'on_busy',
  'exclusive',
  'deadline_at',
  'timeout_ms',
  'timeout_at',
  'cancel_requested_at',
  'cancel_reason',
  'generation',
  'created_at',
  'started_at',
  'ended_at',
  'ancestors',
  'parent_step_run_id',
  'spend_limit',
  'paused_at',
  'concurrency_key',
  'concurrency_limit',
  'start_at',
  'traceparent',
] as const satisfies readonly (keyof RunTable)[];

export type RunRow = Pick<Selectable<RunTable>, (typeof RUN_COLUMNS)[number]>;

export function runRecord(row: RunRow): RunRecord {
  return {
    projectId: row.project_id,
    runId: row.run_id,
    pipeline: row.pipeline,
    pipelineVersion: row.pipeline_version,
    streamId: row.stream_id,
    status: row.status,
    statusReason: row.status_reason,
    inputs: isJsonObject(row.inputs) ? row.inputs : {},
    output: row.output,
    error: storedRunError(row.error),
    tags: row.tags,
    metadata: isJsonObject(row.metadata) ? row.metadata : {},
    priority: row.priority,
    onBusy: row.on_busy,
    exclusive: row.exclusive,
    deadlineAt: row.deadline_at,
    timeoutMs: row.timeout_ms,
    timeoutAt: row.timeout_at,
    cancelRequestedAt: row.cancel_requested_at,
    cancelReason: row.cancel_reason === null ? null : fromStoredText(row.cancel_reason),
    generation: row.generation,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    ancestors: row.ancestors,
    parentStepRunId: row.parent_step_run_id,
    spendLimit: row.spend_limit === null ? null : spendLimitSchema.parse(row.spend_limit),
    pausedAt: row.paused_at,
    concurrency:
      row.concurrency_key === null || row.concurrency_limit === null
        ? null
        : { key: row.concurrency_key, limit: row.concurrency_limit },
    startAt: row.start_at,
    traceparent: row.traceparent,
  };
}

/** @throws ZodError when the column does not hold an error: only this library writes it. */
export const storedRunError = (stored: Json): RunError | null =>
  stored === null ? null : runErrorSchema.parse(stored);
