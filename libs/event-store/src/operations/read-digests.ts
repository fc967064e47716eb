import type { EventDigest, ReadDigests } from '#libs/engine';
import type { Session } from '../session.js';

/** Digests of all events of one log in the bounds, in order of seq. */
export async function readDigests(session: Session, query: ReadDigests): Promise<EventDigest[]> {
  const rows = await session<EventDigest[]>`
    select seq, run_id as "runId", digest from event
    where project_id = ${query.projectId} and stream_id = ${query.streamId}
      and seq > ${query.afterSeq}::bigint and seq <= ${query.uptoSeq}::bigint
    order by seq`;
  return rows.map((row) => ({ ...row }));
}
