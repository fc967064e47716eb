import type { Generated } from 'kysely';
import type { DefaultTimestamp, NullableTimestamp } from './column-kinds.js';

export type PipelineTable = {
  project_id: string;
  name: string;
  latest_version: Generated<number>;
  created_at: DefaultTimestamp;
  deleted_at: NullableTimestamp;
};
