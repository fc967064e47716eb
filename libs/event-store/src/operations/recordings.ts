import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '#libs/domain';
import { toStoredJson } from '../encoding/stored-json.js';
import type { Session } from '../session.js';
import { storeBodies } from './store-bodies.js';

export type RecordingRecord = { name: string; hash: string; bytes: number; createdAt: string };

/** Puts a recording under its name; one that was there is replaced. `bytes` are those of its JSON text. */
export async function putRecording(
  session: Session,
  projectId: string,
  name: string,
  body: Json,
): Promise<RecordingRecord> {
  const hash = createHash('sha256').update(canonicalJson(body), 'utf8').digest('hex');
  const json = toStoredJson(body) ?? 'null';
  const bytes = Buffer.byteLength(json);
  await storeBodies(session, [{ projectId, hash, json, bytes }]);
  const [row] = await session<RecordingRecord[]>`
    insert into recording (project_id, name, hash, bytes) values (${projectId}, ${name}, ${hash}, ${bytes})
    on conflict (project_id, name) do update set hash = excluded.hash, bytes = excluded.bytes, created_at = now()
    returning name, hash, bytes, created_at as "createdAt"`;
  return row === undefined ? { name, hash, bytes, createdAt: '' } : { ...row };
}

export async function findRecordingHash(session: Session, projectId: string, name: string): Promise<string | null> {
  const [row] = await session<{ hash: string }[]>`
    select hash from recording where project_id = ${projectId} and name = ${name}`;
  return row?.hash ?? null;
}

export async function findRecording(
  session: Session,
  projectId: string,
  name: string,
): Promise<(RecordingRecord & { body: Json }) | null> {
  const [row] = await session<(RecordingRecord & { body: Json })[]>`
    select r.name, r.hash, r.bytes, r.created_at as "createdAt", p.body
    from recording r join payload p on p.project_id = r.project_id and p.hash = r.hash
    where r.project_id = ${projectId} and r.name = ${name}`;
  return row === undefined ? null : { ...row };
}

/** By name, after `afterName`. */
export async function listRecordings(
  session: Session,
  projectId: string,
  page: { afterName: string | null; limit: number },
): Promise<RecordingRecord[]> {
  const rows = await session<RecordingRecord[]>`
    select name, hash, bytes, created_at as "createdAt" from recording
    where project_id = ${projectId} and name > ${page.afterName ?? ''} order by name limit ${page.limit}`;
  return rows.map((row) => ({ ...row }));
}

/** False when there was none. Its body stays while an event or another name may refer to it. */
export async function deleteRecording(session: Session, projectId: string, name: string): Promise<boolean> {
  const [deleted] = await session`delete from recording where project_id = ${projectId} and name = ${name} returning 1`;
  return deleted !== undefined;
}
