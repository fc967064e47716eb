import type { Generated } from 'kysely';
import type { ApprovalKind } from '#libs/domain';
import type { DefaultTimestamp, JsonColumn, NullableTimestamp } from './column-kinds.js';

export type ApprovalTable = {
  project_id: string;
  approval_id: string;
  run_id: string;
  step_run_id: string;
  step_id: string;
  item: number | null;
  round: Generated<number>;
  call_no: number | null;
  ordinal: number | null;
  kind: ApprovalKind;
  status: 'pending' | 'approved' | 'denied' | 'cancelled';
  prompt: string;
  form_schema: JsonColumn;
  tool: string | null;
  arguments: string | null;
  due_at: NullableTimestamp;
  decision_form: JsonColumn;
  decision_comment: string | null;
  decision_arguments: string | null;
  decided_by: string | null;
  requested_at: DefaultTimestamp;
  decided_at: NullableTimestamp;
};
