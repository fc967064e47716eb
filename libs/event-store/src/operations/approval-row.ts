import type { Selectable } from 'kysely';
import { isJsonObject } from '#libs/domain';
import type { ApprovalRecord } from '#libs/engine';
import { fromStoredText } from '../encoding/stored-text.js';
import type { ApprovalTable } from '../schema/approval.table.js';

export const APPROVAL_COLUMNS = [
  'project_id',
  'approval_id',
  'run_id',
  'step_run_id',
  'step_id',
  'item',
  'round',
  'call_no',
  'ordinal',
  'kind',
  'status',
  'prompt',
  'form_schema',
  'tool',
  'arguments',
  'due_at',
  'decision_form',
  'decision_comment',
  'decision_arguments',
  'decided_by',
  'requested_at',
  'decided_at',
] as const satisfies readonly (keyof ApprovalTable)[];

export type ApprovalRow = Pick<Selectable<ApprovalTable>, (typeof APPROVAL_COLUMNS)[number]>;

const restored = (text: string | null): string | null => (text === null ? null : fromStoredText(text));

export function approvalRecord(row: ApprovalRow): ApprovalRecord {
  return {
    projectId: row.project_id,
    approvalId: row.approval_id,
    runId: row.run_id,
    stepRunId: row.step_run_id,
    stepId: row.step_id,
    item: row.item,
    round: row.round,
    callNo: row.call_no,
    ordinal: row.ordinal,
    kind: row.kind,
    status: row.status,
    prompt: fromStoredText(row.prompt),
    form: isJsonObject(row.form_schema) ? row.form_schema : null,
    tool: row.tool,
    arguments: restored(row.arguments),
    dueAt: row.due_at,
    decisionForm: row.decision_form,
    decisionComment: restored(row.decision_comment),
    decisionArguments: restored(row.decision_arguments),
    decidedBy: row.decided_by,
    requestedAt: row.requested_at,
    decidedAt: row.decided_at,
  };
}
