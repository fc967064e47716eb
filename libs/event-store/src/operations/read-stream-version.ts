import type { StreamVersion } from '#libs/engine';
import type { Session } from '../session.js';

export async function readStreamVersion(
  session: Session,
  projectId: string,
  streamId: string,
): Promise<StreamVersion | null> {
  const [row] = await session<StreamVersion[]>`
    select stream_id as "streamId", version, entries, erasures from stream where project_id = ${projectId} and stream_id = ${streamId}`;
  return row === undefined ? null : { ...row };
}
