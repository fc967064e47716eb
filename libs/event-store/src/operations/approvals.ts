import type { ApprovalRecord, DecidedApproval, NewApproval } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import { toStoredText } from '../encoding/stored-text.js';
import type { Session } from '../session.js';
import { APPROVAL_COLUMNS, approvalRecord, type ApprovalRow } from './approval-row.js';

const storedText = (text: string | null): string | null => (text === null ? null : toStoredText(text));

export async function insertApproval(session: Session, approval: NewApproval): Promise<void> {
  await session`
    insert into approval (project_id, approval_id, run_id, step_run_id, step_id, item, round, call_no, ordinal, kind, status,
      prompt, form_schema, tool, arguments, due_at)
    values (${approval.projectId}, ${approval.approvalId}, ${approval.runId}, ${approval.stepRunId}, ${approval.stepId},
      ${approval.item}, ${approval.round}, ${approval.callNo}, ${approval.ordinal}, ${approval.kind}, 'pending',
      ${toStoredText(approval.prompt)}, (${toStoredJson(approval.form)}::text)::jsonb, ${approval.tool}, ${storedText(approval.arguments)},
      now() + ${approval.dueInMs}::float8 * interval '1 millisecond')`;
}

export async function findApproval(
  session: Session,
  projectId: string,
  approvalId: string,
): Promise<ApprovalRecord | null> {
  const [row] = await session<ApprovalRow[]>`
    select ${session(APPROVAL_COLUMNS)} from approval where project_id = ${projectId} and approval_id = ${approvalId}`;
  return row === undefined ? null : approvalRecord(row);
}

export async function lockApproval(
  session: Session,
  projectId: string,
  approvalId: string,
): Promise<ApprovalRecord | null> {
  const [row] = await session<ApprovalRow[]>`
    select ${session(APPROVAL_COLUMNS)} from approval
    where project_id = ${projectId} and approval_id = ${approvalId} for no key update`;
  return row === undefined ? null : approvalRecord(row);
}

/** Oldest first. */
export async function findApprovalsOfStep(
  session: Session,
  projectId: string,
  stepRunId: string,
): Promise<ApprovalRecord[]> {
  const rows = await session<ApprovalRow[]>`
    select ${session(APPROVAL_COLUMNS)} from approval
    where project_id = ${projectId} and step_run_id = ${stepRunId} order by requested_at, approval_id`;
  return rows.map(approvalRecord);
}

export async function storeDecision(session: Session, decided: DecidedApproval): Promise<void> {
  await session`
    update approval set status = ${decided.decision === 'approve' ? 'approved' : 'denied'}, decided_at = clock_timestamp(),
      decision_form = (${toStoredJson(decided.form)}::text)::jsonb, decision_comment = ${storedText(decided.comment)},
      decision_arguments = ${storedText(decided.arguments)}, decided_by = ${decided.decidedBy}
    where project_id = ${decided.projectId} and approval_id = ${decided.approvalId}`;
}

/** Of a step that ended without them. */
export async function cancelApprovals(session: Session, projectId: string, stepRunId: string): Promise<void> {
  await session`
    update approval set status = 'cancelled', decided_at = clock_timestamp()
    where project_id = ${projectId} and step_run_id = ${stepRunId} and status = 'pending'`;
}
