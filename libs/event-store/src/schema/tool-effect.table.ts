import type { DefaultTimestamp, NullableTimestamp } from './column-kinds.js';

export type ToolEffectTable = {
  project_id: string;
  effect_key: string;
  run_id: string;
  step_id: string;
  started_at: DefaultTimestamp;
  ended_at: NullableTimestamp;
};
