import type { Database } from '../connect.js';
import { appliedMigrations } from './migrate.js';
import { readMigrations } from './migration-files.js';
import { planMigrations } from './plan-migrations.js';

/** `detail` is a sentence for operators. */
export type SchemaStanding = { readonly ok: boolean; readonly detail: string };

/**
 * Whether this build can work with the schema that the database has now.
 * @throws AppError `schema_too_new` | `migration_changed`: it never will (see planMigrations); RetryableError
 * `database_unavailable`.
 */
export async function schemaStanding(database: Database): Promise<SchemaStanding> {
  const known = await readMigrations();
  const pending = planMigrations(known, await database.run((sql) => appliedMigrations(sql)));
  const first = pending[0];
  if (first === undefined) return { ok: true, detail: 'the schema has all migrations of this version' };
  return {
    ok: false,
    detail: `${pending.length} migrations are missing, the first is ${first.name}: run \`weir migrate\` of this version`,
  };
}
