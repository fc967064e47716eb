import type { DefaultTimestamp } from './column-kinds.js';

export type StreamHoldTable = {
  project_id: string;
  stream_id: string;
  run_id: string;
  mode: 'shared' | 'exclusive';
  acquired_at: DefaultTimestamp;
};
