import type { GeneratedAlways } from 'kysely';
import type { DefaultTimestamp, JsonColumn } from './column-kinds.js';

export type AuditLogTable = {
  project_id: string;
  audit_id: GeneratedAlways<number>;
  actor: string;
  action: string;
  subject: string;
  detail: JsonColumn;
  recorded_at: DefaultTimestamp;
};
