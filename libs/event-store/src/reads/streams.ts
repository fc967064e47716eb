import { sql } from 'kysely';
import type { Json } from '#libs/domain';
import { fromStoredText } from '../encoding/stored-text.js';
import type { PageRequest, ReadDatabase } from './read-database.js';

export type StreamRow = {
  streamId: string;
  /** The last seq. */
  version: number;
  /** Conversation entries of this log alone. */
  entries: number;
  /** Runs that hold the stream now. */
  holders: number;
  createdAt: string;
  updatedAt: string;
};

export type StreamFilters = { prefix?: string; isActive?: boolean };

const columns = [
  'stream_id as streamId',
  'version',
  'entries',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

const holders = sql<number>`(select count(*) from stream_hold h where h.project_id = stream.project_id and h.stream_id = stream.stream_id)`;

/** Streams by id, without their sub-streams. */
export async function listStreams(
  db: ReadDatabase,
  projectId: string,
  filters: StreamFilters,
  page: PageRequest<string>,
): Promise<StreamRow[]> {
  let query = db
    .selectFrom('stream')
    .select(columns)
    .select(holders.as('holders'))
    .where('project_id', '=', projectId)
    .where(sql<boolean>`position(':' in stream_id) = 0`)
    .orderBy('stream_id');
  if (filters.prefix !== undefined) query = query.where(sql<boolean>`starts_with(stream_id, ${filters.prefix})`);
  if (filters.isActive !== undefined)
    query = query.where(sql<boolean>`(${holders} > 0) = ${filters.isActive}::boolean`);
  if (page.after !== null) query = query.where('stream_id', '>', page.after);
  return query.limit(page.limit + 1).execute();
}

export async function findStream(db: ReadDatabase, projectId: string, streamId: string): Promise<StreamRow | null> {
  const found = await db
    .selectFrom('stream')
    .select(columns)
    .select(holders.as('holders'))
    .where('project_id', '=', projectId)
    .where('stream_id', '=', streamId)
    .executeTakeFirst();
  return found ?? null;
}

export type LogSizeRow = { streamId: string; version: number; entries: number; chars: number; updatedAt: string };

/** A stream's own log and its sub-streams, with the chars of all their entries. */
export async function listLogsOfStream(db: ReadDatabase, projectId: string, streamId: string): Promise<LogSizeRow[]> {
  const chars = sql<number>`(select coalesce(sum(e.chars), 0) from event e where e.project_id = stream.project_id and e.stream_id = stream.stream_id)`;
  return db
    .selectFrom('stream')
    .select(['stream_id as streamId', 'version', 'entries', 'updated_at as updatedAt'])
    .select(chars.as('chars'))
    .where('project_id', '=', projectId)
    .where((eb) =>
      eb.or([eb('stream_id', '=', streamId), sql<boolean>`starts_with(stream_id, ${`${streamId}:step:`})`]),
    )
    .orderBy('stream_id')
    .execute();
}

export type StreamHoldRow = { runId: string; mode: string; acquiredAt: string };

export async function listStreamHolds(db: ReadDatabase, projectId: string, streamId: string): Promise<StreamHoldRow[]> {
  return db
    .selectFrom('stream_hold')
    .select(['run_id as runId', 'mode', 'acquired_at as acquiredAt'])
    .where('project_id', '=', projectId)
    .where('stream_id', '=', streamId)
    .orderBy('acquired_at')
    .orderBy('run_id')
    .execute();
}

export type MemoryRow = { key: string; value: Json; seq: number };

/** The stream's memory: of each key the last write, unless it was deleted since. Keys sorted. */
export async function readStreamMemory(db: ReadDatabase, projectId: string, streamId: string): Promise<MemoryRow[]> {
  const latest = db
    .selectFrom('event')
    .leftJoin('payload', (join) =>
      join.onRef('payload.project_id', '=', 'event.project_id').onRef('payload.hash', '=', 'event.payload_hash'),
    )
    .select([
      sql<string>`coalesce(event.data, payload.body)->>'key'`.as('key'),
      sql<Json>`coalesce(event.data, payload.body)->'value'`.as('value'),
      'event.seq as seq',
      'event.type as type',
    ])
    .distinctOn(sql`coalesce(event.data, payload.body)->>'key'`)
    .where('event.project_id', '=', projectId)
    .where('event.stream_id', '=', streamId)
    .where('event.type', 'in', ['MemoryWritten', 'MemoryDeleted'])
    .orderBy(sql`coalesce(event.data, payload.body)->>'key'`)
    .orderBy('event.seq', 'desc');
  const rows = await db
    .selectFrom(latest.as('latest'))
    .select(['key', 'value', 'seq'])
    .where('type', '=', 'MemoryWritten')
    .orderBy('key')
    .execute();
  return rows.map(({ key, ...row }) => ({ key: fromStoredText(key), ...row }));
}

/** The run that holds each of these streams (the first, when several share it). */
export async function listHolders(
  db: ReadDatabase,
  projectId: string,
  streamIds: readonly string[],
): Promise<Map<string, StreamHoldRow>> {
  if (streamIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('stream_hold')
    .select(['stream_id as streamId', 'run_id as runId', 'mode', 'acquired_at as acquiredAt'])
    .distinctOn('stream_id')
    .where('project_id', '=', projectId)
    .where('stream_id', 'in', [...streamIds])
    .orderBy('stream_id')
    .orderBy('acquired_at')
    .execute();
  return new Map(rows.map(({ streamId, ...hold }) => [streamId, hold]));
}
