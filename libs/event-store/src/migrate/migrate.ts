import postgres from 'postgres';
import { databaseError } from '../database-error.js';
import { readMigrations, type Migration } from './migration-files.js';
import { planMigrations, type AppliedMigration } from './plan-migrations.js';

export type MigrateOptions = { log?: (message: string) => void; migrations?: readonly Migration[] };

/** `pg_advisory_lock` key: only one process of an installation migrates at a time. */
const LOCK_KEY = 7_236_114_001;

const CREATE_TABLE = `create table if not exists schema_migration (
  version integer primary key,
  name text not null,
  checksum text not null,
  breaking boolean not null,
  applied_at timestamptz not null default now()
)`;

/**
 * Brings the database to this build's schema: each numbered file in a transaction of its own, under an advisory lock,
 * so that processes may call it at the same time. Returns the names applied now.
 * @throws AppError `migration_changed` | `schema_too_new` (see planMigrations); RetryableError `database_unavailable`.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const known = options.migrations ?? (await readMigrations());
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined, connect_timeout: 10, fetch_types: false });
  try {
    await sql`select pg_advisory_lock(${LOCK_KEY}::bigint)`;
    await sql.unsafe(CREATE_TABLE);
    const pending = planMigrations(known, await appliedMigrations(sql));
    for (const migration of pending) {
      await apply(sql, migration);
      options.log?.(`applied migration ${migration.name}`);
    }
    return pending.map((migration) => migration.name);
  } catch (error) {
    throw databaseError(error);
  } finally {
    // Ends the session, and with it the advisory lock.
    await sql.end({ timeout: 5 });
  }
}

/** Rows of `schema_migration`, oldest first; empty when the schema was never migrated. */
export async function appliedMigrations(sql: postgres.Sql): Promise<AppliedMigration[]> {
  const [table] = await sql<{ present: boolean }[]>`select to_regclass('schema_migration') is not null as present`;
  if (table?.present !== true) return [];
  return sql<AppliedMigration[]>`select version, name, checksum, breaking from schema_migration order by version`;
}

async function apply(sql: postgres.Sql, migration: Migration): Promise<void> {
  await sql.begin(async (tx) => {
    await tx.unsafe(migration.text);
    await tx`insert into schema_migration (version, name, checksum, breaking)
      values (${migration.version}, ${migration.name}, ${migration.checksum}, ${migration.breaking})`;
  });
}
