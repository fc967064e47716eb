import type { DefaultTimestamp, JsonColumn, NullableTimestamp } from './column-kinds.js';

export type SignalInboxTable = {
  project_id: string;
  signal_id: string;
  name: string;
  key: string;
  wait_key: string;
  payload: JsonColumn;
  sent_at: DefaultTimestamp;
  taken_by: string | null;
  taken_at: NullableTimestamp;
};
