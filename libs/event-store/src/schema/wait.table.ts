import type { DefaultTimestamp, NullableTimestamp } from './column-kinds.js';

export type WaitTable = {
  project_id: string;
  step_run_id: string;
  kind: 'timer' | 'signal' | 'approval' | 'compaction' | 'children';
  key: string;
  due_at: NullableTimestamp;
  created_at: DefaultTimestamp;
};
