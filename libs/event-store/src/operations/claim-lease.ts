import type { Session } from '../session.js';
import { commitsLater } from './commit-later.js';
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
 * Rows are taken in sorted order, as everywhere; of two claimers one waits for the other's commit, sees the new status and
 * gets no row. A row whose lease has expired waits for the sweeper, which counts it and gives it another number: a queue that
 * delivers twice must not take over unseen (ADR 0021). `one`: see `write-run-changes.ts`.
 */
export function claimLeases(session: Session, leased: LeasedTable, claims: readonly LeaseClaim[]) {
  const [table, id] = [session(leased.table), session(leased.id)];
  const clocks = leased.hasClocks
    ? session`, fence = ${nextFence(session)}, started_at = coalesce(t.started_at, now()), timeout_at = coalesce(t.timeout_at, now() + t.timeout_ms * interval '1 millisecond'), worker_bytes = f.worker_bytes`
    : session`, fence = t.fence + 1`;
  const mayCommitLater = leased.hasClocks ? session` and ${commitsLater(session)}` : session``;
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
    ), claimed as (
      update ${table} t set status = 'running', starts = t.starts + 1, worker_id = f.worker_id,
        lease_until = now() + f.lease_ms * interval '1 millisecond'${clocks}
      from (select * from asked order by id) f
      where f.one = 1 and t.${id} = f.id and t.dispatch_no = f.dispatch_no and t.status = ${runnableStatus(session, leased)}${mayCommitLater}
      returning t.*
    )`;
}

/**
 * By the clock (µs), so that a claim after a crash of Postgres cannot get the fence of one that the crash took back; the worker
 * which holds that one is refused for ever.
 */
const nextFence = (session: Session) =>
  session`greatest(t.fence + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;
