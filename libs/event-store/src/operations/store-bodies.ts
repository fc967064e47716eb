import type { StoredBody } from '../append/flight-parameters.js';
import type { Session } from '../session.js';

/**
 * Bodies once per project under their hash, sorted so that two writers of the same bodies cannot deadlock. Written
 * before the events that refer to them: a refused event leaves a body that nothing refers to, which does no harm.
 */
export async function storeBodies(session: Session, bodies: readonly StoredBody[]): Promise<void> {
  if (bodies.length === 0) return;
  const rows = bodies.map(
    (body) =>
      `{"project_id":${JSON.stringify(body.projectId)},"hash":${JSON.stringify(body.hash)},"bytes":${body.bytes},"body":${body.json}}`,
  );
  await session`
    insert into payload (project_id, hash, body, bytes)
    select distinct on (project_id, hash) project_id, hash, body, bytes
    from jsonb_to_recordset((${`[${rows.join(',')}]`}::text)::jsonb) as b(project_id text, hash text, body jsonb, bytes bigint)
    order by project_id, hash
    on conflict do nothing`;
}
