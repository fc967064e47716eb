import type { ReadDatabase, PageRequest } from './read-database.js';

export type ApiKeyRecord = {
  projectId: string;
  keyId: string;
  name: string;
  /** SHA-256 (hex) of the secret. */
  secretHash: string;
  scopes: string[];
  createdAt: string;
  revokedAt: string | null;
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

/** By id alone: a request names its key before its project is known. */
export async function findApiKey(db: ReadDatabase, keyId: string): Promise<ApiKeyRecord | null> {
  const found = await db.selectFrom('api_key').select(columns).where('key_id', '=', keyId).executeTakeFirst();
  return found ?? null;
}

/** Of one project, revoked ones included, by id (which is by age). */
export async function listApiKeys(
  db: ReadDatabase,
  projectId: string,
  page: PageRequest<string>,
): Promise<ApiKeyRecord[]> {
  let query = db.selectFrom('api_key').select(columns).where('project_id', '=', projectId).orderBy('key_id');
  if (page.after !== null) query = query.where('key_id', '>', page.after);
  return query.limit(page.limit + 1).execute();
}
