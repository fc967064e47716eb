import type { DefaultTimestamp } from './column-kinds.js';

export type HookDeliveryTable = {
  project_id: string;
  name: string;
  delivery_hash: string;
  outcome: 'started' | 'signalled' | 'ignored';
  run_id: string | null;
  signal_id: string | null;
  received_at: DefaultTimestamp;
};
