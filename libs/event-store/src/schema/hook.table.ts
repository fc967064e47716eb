import type { DefaultTimestamp, JsonColumn } from './column-kinds.js';

export type HookTable = {
  project_id: string;
  name: string;
  hook_id: string;
  verification: JsonColumn;
  secrets: JsonColumn;
  delivery_id_template: string | null;
  condition: string | null;
  action: JsonColumn;
  created_at: DefaultTimestamp;
  updated_at: DefaultTimestamp;
};
