import type { Generated } from 'kysely';
import type { DefaultTimestamp, NullableTimestamp } from './column-kinds.js';

export type WebhookDeliveryTable = {
  project_id: string;
  delivery_id: string;
  endpoint_id: string;
  event_id: string | null;
  event_type: string;
  run_id: string | null;
  status: Generated<'pending' | 'delivered' | 'dead'>;
  attempt: Generated<number>;
  due_at: DefaultTimestamp;
  last_status: number | null;
  last_error: string | null;
  created_at: DefaultTimestamp;
  last_attempt_at: NullableTimestamp;
  ended_at: NullableTimestamp;
};
