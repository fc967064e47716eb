import type { Session } from '../session.js';

export type EventPlace = {
  eventId: string;
  streamId: string;
  seq: number;
  entry: number | null;
  position: number;
  digest: string;
};

/** Where events with these ids stand, by id; those not stored are missing. */
export async function findEventPlaces(
  session: Session,
  projectId: string,
  eventIds: readonly string[],
): Promise<Map<string, EventPlace>> {
  const rows = await session<EventPlace[]>`
    select e.event_id as "eventId", e.stream_id as "streamId", e.seq, e.entry, e.position, e.digest
    from unnest(${[...eventIds]}::uuid[]) as id
    cross join lateral (select * from event e where e.project_id = ${projectId} and e.event_id = id limit 1) e`;
  return new Map(rows.map((row) => [row.eventId, row]));
}
