import type { DefaultTimestamp } from './column-kinds.js';

export type RecordingTable = {
  project_id: string;
  name: string;
  hash: string;
  bytes: number;
  created_at: DefaultTimestamp;
};
