import type { Session } from '../session.js';

/** Of these runs, those that are to be cancelled and have not ended. */
export async function findCancelRequested(session: Session, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const rows = await session<{ run_id: string }[]>`
    select r.run_id from unnest(${[...runIds]}::text[]) as id
    cross join lateral (select run_id, cancel_requested_at, ended_at from run where run_id = id limit 1) r
    where r.cancel_requested_at is not null and r.ended_at is null`;
  return rows.map((row) => row.run_id);
}
