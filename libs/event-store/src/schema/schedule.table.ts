import type { CatchUpPolicy, OverlapPolicy } from '#libs/domain';
import type { DefaultTimestamp, JsonColumn, NullableTimestamp } from './column-kinds.js';

export type ScheduleTable = {
  project_id: string;
  name: string;
  cron: string;
  timezone: string;
  overlap: OverlapPolicy;
  catch_up: CatchUpPolicy;
  catch_up_window_ms: number;
  start: JsonColumn;
  revision: number;
  paused_at: NullableTimestamp;
  next_at: NullableTimestamp;
  created_at: DefaultTimestamp;
  updated_at: DefaultTimestamp;
};
