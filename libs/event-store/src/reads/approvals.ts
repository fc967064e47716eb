import { sql, type Expression, type SqlBool } from 'kysely';
import type { ApprovalRecord } from '#libs/engine';
import { APPROVAL_COLUMNS, approvalRecord } from '../operations/approval-row.js';
import type { PageRequest, ReadDatabase } from './read-database.js';

export type ApprovalFilters = { status?: ApprovalRecord['status']; runId?: string };
export type ApprovalKey = { requestedAt: string; approvalId: string };

/** Newest first. */
export async function listApprovals(
  db: ReadDatabase,
  projectId: string,
  filters: ApprovalFilters,
  page: PageRequest<ApprovalKey>,
): Promise<ApprovalRecord[]> {
  const rows = await db
    .selectFrom('approval')
    .select(APPROVAL_COLUMNS)
    .where('project_id', '=', projectId)
    .where((eb) => eb.and([...conditions(filters), ...afterKey(page.after)]))
    .orderBy('requested_at', 'desc')
    .orderBy('approval_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return rows.map(approvalRecord);
}

function conditions({ status, runId }: ApprovalFilters): Expression<SqlBool>[] {
  return [
    // A literal: the partial index of what is pending is used only when its condition stands in the statement.
    ...(status === 'pending' ? [sql<SqlBool>`status = 'pending'`] : []),
    ...(status === undefined || status === 'pending' ? [] : [sql<SqlBool>`status = ${status}`]),
    ...(runId === undefined ? [] : [sql<SqlBool>`run_id = ${runId}`]),
  ];
}

function afterKey(key: ApprovalKey | null): Expression<SqlBool>[] {
  if (key === null) return [];
  return [sql<SqlBool>`(requested_at, approval_id) < (${key.requestedAt}::timestamptz, ${key.approvalId})`];
}
