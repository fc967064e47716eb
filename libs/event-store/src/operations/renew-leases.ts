import type { Session } from '../session.js';
import type { LeasedTable } from './leased-table.js';

export type HeldLease = { id: string; fence: number };

/**
 * Renews leases; returns those that are still held. Rows are locked in sorted order first: an UPDATE over many rows
 * locks them as it finds them and could deadlock with an append.
 */
export async function renewLeases(
  session: Session,
  leased: LeasedTable,
  held: readonly HeldLease[],
  leaseMs: number,
  workerBytes: number | null,
): Promise<{ id: string; runId: string | null }[]> {
  if (held.length === 0) return [];
  const [table, id] = [session(leased.table), session(leased.id)];
  return session<{ id: string; runId: string | null }[]>`
    with mine as materialized (
      select h.id, t.status
      from (
        select * from unnest(${held.map((one) => one.id)}::text[], ${held.map((one) => one.fence)}::bigint[]) as h(id, fence) order by h.id
      ) h
      cross join lateral (select t.status from ${table} t where t.${id} = h.id and t.fence = h.fence for no key update) t
    )
    update ${table} t set lease_until = now() + ${leaseMs}::float8 * interval '1 millisecond'${workerBytes === null ? session`` : session`, worker_bytes = ${workerBytes}::bigint`}
    from mine where t.${id} = mine.id and mine.status = 'running'
    returning t.${id} as id, t.run_id as "runId"`;
}
