import type { Generated } from 'kysely';
import type { RunStatus } from '#libs/domain';
import type { DefaultTimestamp, JsonColumn, NullableTimestamp } from './column-kinds.js';

export type RunTable = {
  project_id: string;
  run_id: string;
  pipeline: string;
  pipeline_version: number;
  stream_id: string;
  status: RunStatus;
  status_reason: string | null;
  inputs: JsonColumn;
  output: JsonColumn;
  error: JsonColumn;
  tags: Generated<string[]>;
  metadata: JsonColumn;
  priority: Generated<number>;
  on_busy: Generated<string>;
  exclusive: Generated<boolean>;
  deadline_at: NullableTimestamp;
  timeout_ms: number | null;
  timeout_at: NullableTimestamp;
  cancel_requested_at: NullableTimestamp;
  cancel_reason: string | null;
  created_at: DefaultTimestamp;
  started_at: NullableTimestamp;
  ended_at: NullableTimestamp;
};
