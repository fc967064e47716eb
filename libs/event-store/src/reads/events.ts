import { sql, type Expression, type SqlBool } from 'kysely';
import type { EventType, StoredEvent } from '#libs/domain';
import { storedEvent } from '../operations/event-row.js';
import type { ReadDatabase } from './read-database.js';

/** Place in the global feed; ordered by transaction, then position. */
export type FeedCursor = { xact: string; position: string };

/** Null when it does not have the form `{xact}-{position}`; 18 digits are more than will be used and fit both types. */
export function parseFeedCursor(text: string): FeedCursor | null {
  const match = /^(\d{1,18})-(\d{1,18})$/.exec(text);
  const [xact, position] = [match?.[1], match?.[2]];
  return xact === undefined || position === undefined ? null : { xact, position };
}

export type ReadRunEvents = {
  projectId: string;
  runId: string;
  after: FeedCursor | null;
  types?: readonly EventType[];
  limit: number;
};

/**
 * Events of a run in the feed's order. Only transactions below the oldest one still open are shown: what commits later
 * gets a later place, so a reader that goes on from its last cursor misses nothing.
 */
export async function readRunEvents(db: ReadDatabase, query: ReadRunEvents): Promise<StoredEvent[]> {
  const rows = await eventQuery(db)
    .where('event.project_id', '=', query.projectId)
    .where('event.run_id', '=', query.runId)
    .where(sql<SqlBool>`event.xact < pg_snapshot_xmin(pg_current_snapshot())`)
    .where((eb) => eb.and([...beyond(query.after), ...ofTypes(query.types)]))
    .orderBy('event.xact')
    .orderBy('event.position')
    .limit(query.limit)
    .execute();
  return rows.map(storedEvent);
}

/** Whether the run has events after this place, those of transactions that readers must still wait for included. */
export async function hasRunEventsAfter(
  db: ReadDatabase,
  query: { projectId: string; runId: string; after: FeedCursor | null },
): Promise<boolean> {
  const found = await db
    .selectFrom('event')
    .select(sql`1`.as('one'))
    .where('project_id', '=', query.projectId)
    .where('run_id', '=', query.runId)
    .where((eb) => eb.and(beyond(query.after)))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export type ReadStreamEvents = {
  projectId: string;
  streamId: string;
  /** Exclusive. */
  afterSeq: number;
  types?: readonly EventType[];
  limit: number;
};

/** Events of one log by seq: a stream's own or a sub-stream's. */
export async function readStreamEvents(db: ReadDatabase, query: ReadStreamEvents): Promise<StoredEvent[]> {
  const rows = await eventQuery(db)
    .where('event.project_id', '=', query.projectId)
    .where('event.stream_id', '=', query.streamId)
    .where('event.seq', '>', query.afterSeq)
    .where((eb) => eb.and(ofTypes(query.types)))
    .orderBy('event.seq')
    .limit(query.limit)
    .execute();
  return rows.map(storedEvent);
}

export type ReadEntries = {
  projectId: string;
  streamId: string;
  /** Exclusive; null: from the first, or from the last when descending. */
  after: number | null;
  limit: number;
  descending: boolean;
};

/** What models can see of one sub-stream, by entry. */
export async function readEntries(db: ReadDatabase, query: ReadEntries): Promise<StoredEvent[]> {
  const { after, descending } = query;
  let entries = eventQuery(db)
    .where('event.project_id', '=', query.projectId)
    .where('event.stream_id', '=', query.streamId)
    .where('event.entry', 'is not', null);
  if (after !== null) entries = entries.where('event.entry', descending ? '<' : '>', after);
  const rows = await entries
    .orderBy('event.seq', descending ? 'desc' : 'asc')
    .limit(query.limit)
    .execute();
  return rows.map(storedEvent);
}

function beyond(after: FeedCursor | null): Expression<SqlBool>[] {
  if (after === null) return [];
  return [sql<SqlBool>`(event.xact, event.position) > (${after.xact}::xid8, ${after.position}::bigint)`];
}

function ofTypes(types: readonly EventType[] | undefined): Expression<SqlBool>[] {
  return types === undefined ? [] : [sql<SqlBool>`event.type = any(${[...types]}::text[])`];
}

function eventQuery(db: ReadDatabase) {
  return db
    .selectFrom('event')
    .leftJoin('payload', (join) =>
      join.onRef('payload.project_id', '=', 'event.project_id').onRef('payload.hash', '=', 'event.payload_hash'),
    )
    .select([
      'event.stream_id',
      'event.seq',
      'event.position',
      'event.xact',
      'event.event_id',
      'event.type',
      'event.schema_version',
      'event.run_id',
      'event.step_id',
      'event.item',
      'event.round',
      'event.entry',
      'event.chars',
      'event.digest',
      'event.recorded_at',
      sql<unknown>`coalesce(event.data, payload.body)`.as('data'),
    ]);
}
