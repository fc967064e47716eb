import type { StreamVersion } from '#libs/engine';
import type { Session } from '../session.js';

/** Creates missing rows and locks all, sorted as the append statement sorts them. */
export async function lockStreams(
  session: Session,
  projectId: string,
  streamIds: readonly string[],
): Promise<Map<string, StreamVersion>> {
  if (streamIds.length === 0) return new Map();
  const rows = await session<StreamVersion[]>`
    insert into stream as s (project_id, stream_id)
    select distinct ${projectId}, id from unnest(${[...streamIds]}::text[]) as id order by id
    on conflict (project_id, stream_id) do update set version = s.version
    returning stream_id as "streamId", version, entries`;
  return new Map(rows.map((row) => [row.streamId, { ...row }]));
}
