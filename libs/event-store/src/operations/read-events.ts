import type { StoredEvent } from '#libs/domain';
import type { ReadStream } from '#libs/engine';
import type { Session } from '../session.js';
import { storedEvent, type EventRow } from './event-row.js';

/** Events of one log in order of seq, bodies from `payload` put in their place. */
export async function readEvents(session: Session, query: ReadStream): Promise<StoredEvent[]> {
  const types = query.types === undefined ? null : [...query.types];
  const ofRun = query.runId === undefined ? session`` : session`and e.run_id = ${query.runId}`;
  const places = query.seqs === undefined ? session`` : session`and e.seq = any (${[...query.seqs]}::bigint[])`;
  const entry = query.entry === undefined ? session`` : session`and e.entry = ${query.entry}::bigint`;
  const order = query.descending === true ? session`desc` : session`asc`;
  const rows = await session<EventRow[]>`
    select e.stream_id, e.seq, e.position, e.xact, e.event_id, e.type, e.schema_version, e.run_id, e.step_id, e.item, e.round, e.entry,
      coalesce(e.data, p.body) as data, e.digest, e.chars, e.recorded_at
    from event e left join payload p on p.project_id = e.project_id and p.hash = e.payload_hash
    where e.project_id = ${query.projectId} and e.stream_id = ${query.streamId}
      and e.seq > ${query.afterSeq ?? 0}::bigint and e.seq <= ${query.uptoSeq ?? Number.MAX_SAFE_INTEGER}::bigint
      and (${types}::text[] is null or e.type = any (${types}::text[])) ${ofRun} ${places} ${entry}
    order by e.seq ${order}
    limit ${query.limit ?? null}::bigint`;
  return rows.map(storedEvent);
}
