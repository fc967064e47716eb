import type { Session } from '../session.js';
import { runnableStatus, type LeasedTable } from './leased-table.js';

export type LeaseClaim = {
  id: string;
  dispatchNo: number;
  workerId: string;
  leaseMs: number;
  workerBytes?: number | null;
};

/**
 * The CTEs of claims, the last one `claimed` with the rows: raises the fence where the dispatch fits and the row is runnable.
 * Rows are locked in sorted order first, as everywhere; of two claimers one waits for the other's lock, sees the new status and
 * gets no row. A row whose lease has expired waits for the sweeper, which counts it and gives it another number: a queue that
 * delivers twice must not take over unseen (ADR 0021). `one`: see `write-run-changes.ts`.
 */
export function claimLeases(session: Session, leased: LeasedTable, claims: readonly LeaseClaim[]) {
  const [table, id] = [session(leased.table), session(leased.id)];
  const clocks = leased.hasClocks
    ? session`, started_at = coalesce(t.started_at, now()), timeout_at = coalesce(t.timeout_at, now() + t.timeout_ms * interval '1 millisecond'), worker_bytes = f.worker_bytes`
    : session``;
  const asked = claims.map(({ id: claimed, dispatchNo, workerId, leaseMs, workerBytes = null }) => ({
    ...{
      one: 1,
      id: claimed,
      dispatch_no: dispatchNo,
      worker_id: workerId,
      lease_ms: leaseMs,
      worker_bytes: workerBytes,
    },
  }));
  return session`
    asked as materialized (
      select * from jsonb_to_recordset((${JSON.stringify(asked)}::text)::jsonb) as a(one integer, id text, dispatch_no integer, worker_id text, lease_ms float8, worker_bytes bigint)
    ), free as materialized (
      select a.* from (select * from asked order by id) a
      cross join lateral (
        select status from ${table} where ${id} = a.id and dispatch_no = a.dispatch_no for no key update
      ) t
      where t.status = ${runnableStatus(session, leased)}
    ), claimed as (
      update ${table} t set status = 'running', fence = t.fence + 1, starts = t.starts + 1, worker_id = f.worker_id,
        lease_until = now() + f.lease_ms * interval '1 millisecond'${clocks}
      from free f where f.one = 1 and t.${id} = f.id
      returning t.*
    )`;
}
