import { RetryableError, type Json } from '#libs/domain';
import type { IdempotencyKey } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import type { Session } from '../session.js';

export type KeyClaim =
  { status: 'new' } | { status: 'stored'; httpStatus: number; body: Json } | { status: 'mismatch' };

/** The insert waits for a transaction that holds the same key; the read after it has a snapshot of its own and sees the outcome. */
export async function claimIdempotencyKey(session: Session, key: IdempotencyKey): Promise<KeyClaim> {
  const [inserted] = await session`
    insert into idempotency_key (project_id, scope, key, request_hash) values (${key.projectId}, ${key.scope}, ${key.key}, ${key.requestHash})
    on conflict do nothing returning 1`;
  if (inserted !== undefined) return { status: 'new' };
  const [row] = await session<{ request_hash: string; status: number | null; body: Json }[]>`
    select request_hash, status, body from idempotency_key
    where project_id = ${key.projectId} and scope = ${key.scope} and key = ${key.key}`;
  if (row !== undefined && row.request_hash !== key.requestHash) return { status: 'mismatch' };
  if (row === undefined || row.status === null) {
    throw new RetryableError(
      'idempotency_key_open',
      `the first request with key ${key.key} left no answer; send it again`,
      { key: key.key },
    );
  }
  return { status: 'stored', httpStatus: row.status, body: row.body };
}

export async function storeIdempotentAnswer(
  session: Session,
  key: IdempotencyKey,
  httpStatus: number,
  body: Json,
): Promise<void> {
  await session`
    update idempotency_key set status = ${httpStatus}, body = (${toStoredJson(body)}::text)::jsonb
    where project_id = ${key.projectId} and scope = ${key.scope} and key = ${key.key}`;
}
