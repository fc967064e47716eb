import type { Generated } from 'kysely';
import type { DefaultTimestamp, NullableTimestamp } from './column-kinds.js';

/** What step_run and compaction share: dispatch, claim, lease, fence, usage. One code serves both. */
export type LeaseColumns = {
  attempt: Generated<number>;
  starts: Generated<number>;
  dispatch_no: Generated<number>;
  dispatched_at: NullableTimestamp;
  priority: Generated<number>;
  fence: Generated<number>;
  lease_until: NullableTimestamp;
  worker_id: string | null;
  due_at: NullableTimestamp;
  input_tokens: Generated<number>;
  cached_tokens: Generated<number>;
  output_tokens: Generated<number>;
  cost_usd: Generated<number>;
  model_calls: Generated<number>;
  queued_at: DefaultTimestamp;
  ended_at: NullableTimestamp;
};
