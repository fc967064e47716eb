import type { Json } from '#libs/domain';
import type { Session } from '../session.js';

/** A fact of the installation as it is, null when nobody wrote it: unlike `installationFact` this writes nothing. */
export async function peekFact(session: Session, name: string): Promise<Json> {
  const [row] = await session<{ value: Json }[]>`select value from installation where name = ${name}`;
  return row?.value ?? null;
}
