import type { Session } from '../session.js';
import { runnableStatus, type LeasedTable } from './leased-table.js';

export type LeaseClaim = { id: string; dispatchNo: number; workerId: string; leaseMs: number };

/**
 * The UPDATE of a claim, for a CTE: raises the fence when the dispatch fits and the row is runnable. Of two claimers one waits
 * for the other's row lock, sees the new status and gets no row. A row whose lease has expired waits for the sweeper, which
 * counts it and gives it another number: a queue that delivers twice must not take over unseen (ADR 0021).
 */
export function claimLease(session: Session, leased: LeasedTable, claim: LeaseClaim) {
  const clocks = leased.hasClocks
    ? session`, started_at = coalesce(t.started_at, now()), timeout_at = coalesce(t.timeout_at, now() + t.timeout_ms * interval '1 millisecond')`
    : session``;
  return session`
    update ${session(leased.table)} t
    set status = 'running', fence = t.fence + 1, starts = t.starts + 1, worker_id = ${claim.workerId},
      lease_until = now() + ${claim.leaseMs}::float8 * interval '1 millisecond'${clocks}
    where t.${session(leased.id)} = ${claim.id} and t.dispatch_no = ${claim.dispatchNo}
      and t.status = ${runnableStatus(session, leased)}
    returning t.*`;
}
