import type { Session } from '../session.js';

/** The run that has held the stream longest; null: it is free. */
export async function findStreamHolder(
  session: Session,
  projectId: string,
  streamId: string,
): Promise<{ runId: string; since: string } | null> {
  const [row] = await session<{ runId: string; since: string }[]>`
    select run_id as "runId", acquired_at as since from stream_hold
    where project_id = ${projectId} and stream_id = ${streamId} order by acquired_at limit 1`;
  return row === undefined ? null : { ...row };
}
