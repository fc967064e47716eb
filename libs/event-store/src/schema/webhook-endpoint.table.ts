import type { Generated } from 'kysely';
import type { DefaultTimestamp, JsonColumn, NullableTimestamp } from './column-kinds.js';

export type WebhookEndpointTable = {
  project_id: string;
  endpoint_id: string;
  url: string;
  description: string | null;
  event_types: string[];
  include_content: boolean;
  secrets: JsonColumn;
  disabled_at: NullableTimestamp;
  disabled_reason: string | null;
  failing_since: NullableTimestamp;
  failures: Generated<number>;
  created_at: DefaultTimestamp;
  updated_at: DefaultTimestamp;
};
