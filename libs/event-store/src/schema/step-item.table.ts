import type { ItemStatus } from '#libs/domain';
import type { JsonColumn, NullableTimestamp } from './column-kinds.js';

export type StepItemTable = {
  project_id: string;
  step_run_id: string;
  item: number;
  status: ItemStatus;
  value: JsonColumn;
  output: JsonColumn;
  error: JsonColumn;
  started_at: NullableTimestamp;
  ended_at: NullableTimestamp;
};
