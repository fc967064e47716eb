import type { Session } from '../session.js';

/** The body under this hash, or undefined when there is none. */
export async function readPayload(session: Session, projectId: string, hash: string): Promise<unknown> {
  const [row] = await session<
    { body: unknown }[]
  >`select body from payload where project_id = ${projectId} and hash = ${hash}`;
  return row?.body;
}
