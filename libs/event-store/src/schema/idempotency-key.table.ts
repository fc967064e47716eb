import type { DefaultTimestamp, JsonColumn } from './column-kinds.js';

export type IdempotencyKeyTable = {
  project_id: string;
  scope: string;
  key: string;
  request_hash: string;
  /** HTTP status of the first answer; null only inside the transaction that claimed the key. */
  status: number | null;
  body: JsonColumn;
  created_at: DefaultTimestamp;
};
