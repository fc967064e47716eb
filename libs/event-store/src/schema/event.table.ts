import type { GeneratedAlways, ColumnType } from 'kysely';
import type { DefaultTimestamp, JsonColumn } from './column-kinds.js';

export type EventTable = {
  project_id: string;
  stream_id: string;
  seq: number;
  position: GeneratedAlways<number>;
  event_id: string;
  type: string;
  schema_version: number;
  run_id: string | null;
  step_id: string | null;
  item: number | null;
  round: number;
  entry: number | null;
  /** Null when the body is in `payload` under `payload_hash`. */
  data: JsonColumn;
  payload_hash: string | null;
  digest: string;
  chars: number;
  /** xid8 as text. */
  xact: ColumnType<string, never, never>;
  recorded_at: DefaultTimestamp;
};
