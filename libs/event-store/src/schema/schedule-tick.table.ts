import type { Generated } from 'kysely';
import type { DefaultTimestamp, Timestamp } from './column-kinds.js';

export type ScheduleTickTable = {
  project_id: string;
  name: string;
  tick_at: Timestamp;
  outcome: 'started' | 'skipped' | 'missed' | 'failed';
  is_manual: Generated<boolean>;
  ticks: Generated<number>;
  run_id: string | null;
  detail: string | null;
  recorded_at: DefaultTimestamp;
};
