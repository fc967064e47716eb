import { AppError, type EventType, type StoredEvent } from '#libs/domain';
import type { Session } from '../session.js';
import { feedCursor, storedEvent, type EventRow } from './event-row.js';

export type FeedQuery = {
  projectId: string;
  /** Events of one run. */
  runId?: string;
  /** Events of a stream and its sub-streams. */
  streamId?: string;
  /** Exclusive; null: from the beginning. */
  after: string | null;
  types?: readonly EventType[];
  limit: number;
};
export type FeedPage = { events: StoredEvent[]; /** Where to go on: the last event's cursor, else `after`. */ cursor: string | null };

const CURSOR = /^(\d{1,20})-(\d{1,15})$/;

/**
 * The feed in order of (xact, position), below the oldest transaction that is still open: an event that commits later
 * can only stand behind the cursor, so no reader skips it. @throws AppError `cursor_invalid`.
 */
export async function readFeed(session: Session, query: FeedQuery): Promise<FeedPage> {
  const after = parseFeedCursor(query.after);
  const types = query.types === undefined ? null : [...query.types];
  const ofRun = query.runId === undefined ? session`` : session`and e.run_id = ${query.runId}`;
  const ofStream = query.streamId === undefined ? session`` : session`and (e.stream_id = ${query.streamId} or starts_with(e.stream_id, ${`${query.streamId}:`}))`;
  const rows = await session<EventRow[]>`
    select e.stream_id, e.seq, e.position, e.xact, e.event_id, e.type, e.schema_version, e.run_id, e.step_id, e.item, e.round, e.entry,
      coalesce(e.data, p.body) as data, e.digest, e.chars, e.recorded_at
    from event e left join payload p on p.project_id = e.project_id and p.hash = e.payload_hash
    where e.project_id = ${query.projectId} ${ofRun} ${ofStream}
      and (e.xact, e.position) > (${after.xact}::text::xid8, ${after.position}::bigint)
      and e.xact < pg_snapshot_xmin(pg_current_snapshot())
      and (${types}::text[] is null or e.type = any (${types}::text[]))
    order by e.xact, e.position limit ${query.limit}`;
  const last = rows.at(-1);
  return { events: rows.map(storedEvent), cursor: last === undefined ? query.after : feedCursor(last) };
}

function parseFeedCursor(cursor: string | null): { xact: string; position: number } {
  if (cursor === null) return { xact: '0', position: 0 };
  const match = CURSOR.exec(cursor);
  const [xact, position] = [match?.[1], match?.[2]];
  // Larger than any xid8, so that no text reaches the database that it would refuse.
  if (xact === undefined || position === undefined || BigInt(xact) > 18_446_744_073_709_551_615n) {
    throw new AppError('cursor_invalid', `${cursor.slice(0, 60)} is not a cursor of the event feed: use the one of the last event you have`, {});
  }
  return { xact, position: Number(position) };
}
