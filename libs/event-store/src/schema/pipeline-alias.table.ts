import type { Generated } from 'kysely';
import type { DefaultTimestamp } from './column-kinds.js';

export type PipelineAliasTable = {
  project_id: string;
  name: string;
  /** `live` or `canary`. */
  alias: string;
  version: number;
  weight: Generated<number>;
  updated_at: DefaultTimestamp;
};
