import type { Generated } from 'kysely';
import type { DefaultTimestamp } from './column-kinds.js';

export type StreamTable = {
  project_id: string;
  stream_id: string;
  /** The last seq. */
  version: Generated<number>;
  /** The last entry ordinal. */
  entries: Generated<number>;
  /** How often something of it was erased. */
  erasures: Generated<number>;
  created_at: DefaultTimestamp;
  updated_at: DefaultTimestamp;
};
