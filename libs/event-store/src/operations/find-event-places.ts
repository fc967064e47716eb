import type { Session } from '../session.js';

export type EventPlace = { eventId: string; streamId: string; seq: number; entry: number | null; position: number; digest: string };

/** Where events with these ids stand, by id; those not stored are missing. */
export async function findEventPlaces(session: Session, projectId: string, eventIds: readonly string[]): Promise<Map<string, EventPlace>> {
  const rows = await session<EventPlace[]>`
    select event_id as "eventId", stream_id as "streamId", seq, entry, position, digest
    from event where project_id = ${projectId} and event_id = any (${[...eventIds]}::uuid[])`;
  return new Map(rows.map((row) => [row.eventId, row]));
}
