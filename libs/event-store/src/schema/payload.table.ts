import type { DefaultTimestamp, JsonColumn } from './column-kinds.js';

export type PayloadTable = {
  project_id: string;
  /** SHA-256 (hex) of the canonical JSON. */
  hash: string;
  body: JsonColumn;
  bytes: number;
  created_at: DefaultTimestamp;
};
