import type { Selectable } from 'kysely';
import type { StepRunRecord, StepUsage } from '#libs/engine';
import { fromStoredText } from '../encoding/stored-text.js';
import type { StepRunTable } from '../schema/step-run.table.js';
import { storedRunError } from './run-row.js';

/** Named one by one: a prepared `select *` fails after a migration adds a column. */
export const STEP_RUN_COLUMNS = [
  'project_id',
  'step_run_id',
  'run_id',
  'step_id',
  'item',
  'round',
  'kind',
  'status',
  'reason',
  'attempt',
  'starts',
  'releases',
  'dispatch_no',
  'dispatched_at',
  'priority',
  'fence',
  'lease_until',
  'worker_id',
  'stalls',
  'stall_position',
  'cutoff_seq',
  'memory_seq',
  'manifest',
  'output',
  'error',
  'due_at',
  'timeout_ms',
  'timeout_at',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'cost_usd',
  'model_calls',
  'tool_calls',
  'queued_at',
  'started_at',
  'ended_at',
  'waiting_key',
  'waiting_since',
  'worker_bytes',
] as const satisfies readonly (keyof StepRunTable)[];

export type StepRunRow = Pick<Selectable<StepRunTable>, (typeof STEP_RUN_COLUMNS)[number]>;

export function stepRunRecord(row: StepRunRow): StepRunRecord {
  return {
    projectId: row.project_id,
    stepRunId: row.step_run_id,
    runId: row.run_id,
    stepId: row.step_id,
    item: row.item,
    round: row.round,
    kind: row.kind,
    status: row.status,
    reason: row.reason,
    attempt: row.attempt,
    starts: row.starts,
    releases: row.releases,
    dispatchNo: row.dispatch_no,
    dispatchedAt: row.dispatched_at,
    priority: row.priority,
    fence: row.fence,
    leaseUntil: row.lease_until,
    workerId: row.worker_id,
    stalls: row.stalls,
    stallPosition: row.stall_position,
    cutoffSeq: row.cutoff_seq,
    memorySeq: row.memory_seq,
    manifest: row.manifest,
    output: row.output,
    error: storedRunError(row.error),
    dueAt: row.due_at,
    timeoutMs: row.timeout_ms,
    timeoutAt: row.timeout_at,
    usage: stepUsage(row),
    queuedAt: row.queued_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    waitingKey: row.waiting_key === null ? null : fromStoredText(row.waiting_key),
    waitingSince: row.waiting_since,
    workerBytes: row.worker_bytes,
  };
}

function stepUsage(row: StepRunRow): StepUsage {
  return {
    inputTokens: row.input_tokens,
    cachedTokens: row.cached_tokens,
    outputTokens: row.output_tokens,
    costUsd: row.cost_usd,
    modelCalls: row.model_calls,
    toolCalls: row.tool_calls,
  };
}
