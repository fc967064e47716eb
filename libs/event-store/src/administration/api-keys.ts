import type { Kysely } from 'kysely';
import type { ApiKeyRecord } from '../reads/api-keys.js';
import type { DatabaseSchema } from '../schema/database-schema.js';
import { recordAudit } from './audit.js';

export type NewApiKey = {
  projectId: string;
  keyId: string;
  name: string;
  secretHash: string;
  scopes: readonly string[];
  actor: string;
};

const columns = [
  'project_id as projectId',
  'key_id as keyId',
  'name',
  'secret_hash as secretHash',
  'scopes',
  'created_at as createdAt',
  'revoked_at as revokedAt',
] as const;

/** Null when the project does not exist. */
export async function createApiKey(db: Kysely<DatabaseSchema>, key: NewApiKey): Promise<ApiKeyRecord | null> {
  return db.transaction().execute(async (tx) => {
    const project = await tx
      .selectFrom('project')
      .select('project_id')
      .where('project_id', '=', key.projectId)
      .executeTakeFirst();
    if (project === undefined) return null;
    const created = await tx
      .insertInto('api_key')
      .values({
        project_id: key.projectId,
        key_id: key.keyId,
        name: key.name,
        secret_hash: key.secretHash,
        scopes: [...key.scopes],
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
    await recordAudit(tx, {
      projectId: key.projectId,
      actor: key.actor,
      action: 'api_key.created',
      subject: key.keyId,
      detail: { name: key.name, scopes: [...key.scopes] },
    });
    return created;
  });
}

/** Revoking again changes nothing. Null when the project has no such key. */
export async function revokeApiKey(
  db: Kysely<DatabaseSchema>,
  key: { projectId: string; keyId: string; actor: string },
): Promise<ApiKeyRecord | null> {
  return db.transaction().execute(async (tx) => {
    const revoked = await tx
      .updateTable('api_key')
      .set({ revoked_at: new Date() })
      .where('project_id', '=', key.projectId)
      .where('key_id', '=', key.keyId)
      .where('revoked_at', 'is', null)
      .returning(columns)
      .executeTakeFirst();
    if (revoked === undefined) {
      const known = await tx
        .selectFrom('api_key')
        .select(columns)
        .where('project_id', '=', key.projectId)
        .where('key_id', '=', key.keyId)
        .executeTakeFirst();
      return known ?? null;
    }
    await recordAudit(tx, {
      projectId: key.projectId,
      actor: key.actor,
      action: 'api_key.revoked',
      subject: key.keyId,
      detail: {},
    });
    return revoked;
  });
}
