import type { Json } from '#libs/domain';
import { toStoredJson } from '../encoding/stored-json.js';
import type { Session } from '../session.js';

/** The first writer of a name wins; everyone gets the value that holds. */
export async function installationFact(session: Session, name: string, proposed: Json): Promise<Json> {
  await session`
    insert into installation (name, value) values (${name}, (${toStoredJson(proposed) ?? 'null'}::text)::jsonb) on conflict do nothing`;
  const [row] = await session<{ value: Json }[]>`select value from installation where name = ${name}`;
  return row?.value ?? null;
}
