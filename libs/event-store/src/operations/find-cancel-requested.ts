import type { Session } from '../session.js';

/** Of these runs, those that are to be cancelled and have not ended. */
export async function findCancelRequested(session: Session, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const rows = await session<{ run_id: string }[]>`
    select run_id from run where run_id = any (${[...runIds]}::text[]) and cancel_requested_at is not null and ended_at is null`;
  return rows.map((row) => row.run_id);
}
