import type { Generated, GeneratedAlways } from 'kysely';
import type { StepStatus, WaitReason } from '#libs/domain';
import type { JsonColumn, NullableTimestamp } from './column-kinds.js';
import type { LeaseColumns } from './lease-columns.js';

export type StepRunTable = LeaseColumns & {
  project_id: string;
  step_run_id: string;
  run_id: string;
  step_id: string;
  item: number | null;
  round: Generated<number>;
  kind: string;
  status: StepStatus;
  reason: WaitReason | null;
  releases: Generated<number>;
  stalls: Generated<number>;
  stall_position: number | null;
  cutoff_seq: number | null;
  memory_seq: number | null;
  manifest: string | null;
  output: JsonColumn;
  error: JsonColumn;
  timeout_ms: number | null;
  timeout_at: NullableTimestamp;
  tool_calls: Generated<number>;
  started_at: NullableTimestamp;
  waiting_key: string | null;
  waiting_since: NullableTimestamp;
  /** Whose turn it takes among the runnable. */
  lane: Generated<string>;
  /** Resident memory of its worker at the last claim or heartbeat. */
  worker_bytes: number | null;
  /** Runnable, and not yet handed to the queue. */
  in_outbox: GeneratedAlways<boolean>;
  /** In the queue or with a worker. */
  handed_out: GeneratedAlways<boolean>;
  /** The attempt's time-out while nobody has the step. */
  idle_timeout_at: GeneratedAlways<string | null>;
  /** Why it stopped on purpose. */
  parked_reason: GeneratedAlways<string | null>;
};
