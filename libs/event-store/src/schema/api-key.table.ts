import type { DefaultTimestamp, NullableTimestamp } from './column-kinds.js';

export type ApiKeyTable = {
  project_id: string;
  key_id: string;
  name: string;
  /** SHA-256 (hex) of the secret. */
  secret_hash: string;
  scopes: string[];
  created_at: DefaultTimestamp;
  revoked_at: NullableTimestamp;
};
