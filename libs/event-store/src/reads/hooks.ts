import { sql } from 'kysely';
import type { HookRecord, HookWithSecrets } from '#libs/engine';
import { HOOK_COLUMNS, hookRecord } from '../operations/hook-row.js';
import { secretsInForce } from '../operations/webhook-deliveries.js';
import type { PageRequest, ReadDatabase } from './read-database.js';

export async function findHook(db: ReadDatabase, projectId: string, name: string): Promise<HookRecord | null> {
  const row = await db
    .selectFrom('hook')
    .select(HOOK_COLUMNS)
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row === undefined ? null : hookRecord(row);
}

/** By the id in its URL: senders do not know the project. */
export async function findHookById(db: ReadDatabase, hookId: string): Promise<HookWithSecrets | null> {
  return withSecrets(await hooksWithSecrets(db).where('hook_id', '=', hookId).executeTakeFirst());
}

/** For who has shown already who they are, too: who verifies decides. */
export async function findHookByName(
  db: ReadDatabase,
  projectId: string,
  name: string,
): Promise<HookWithSecrets | null> {
  const found = hooksWithSecrets(db).where('project_id', '=', projectId).where('name', '=', name);
  return withSecrets(await found.executeTakeFirst());
}

const hooksWithSecrets = (db: ReadDatabase) =>
  db.selectFrom('hook').select([...HOOK_COLUMNS, 'secrets', sql<string>`now()`.as('now')]);

type HookRow = Awaited<ReturnType<ReturnType<typeof hooksWithSecrets>['executeTakeFirst']>>;

const withSecrets = (row: HookRow): HookWithSecrets | null =>
  row === undefined ? null : { ...hookRecord(row), secrets: secretsInForce(row.secrets, row.now) };

/** By name. */
export async function listHooks(db: ReadDatabase, projectId: string, page: PageRequest<string>): Promise<HookRecord[]> {
  const rows = await db
    .selectFrom('hook')
    .select(HOOK_COLUMNS)
    .where('project_id', '=', projectId)
    .where((eb) => eb.and(page.after === null ? [] : [eb('name', '>', page.after)]))
    .orderBy('name')
    .limit(page.limit + 1)
    .execute();
  return rows.map(hookRecord);
}
