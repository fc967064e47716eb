import { AppError } from '#libs/domain';
import type { Migration } from './migration-files.js';

/** A row of `schema_migration`. */
export type AppliedMigration = { version: number; name: string; checksum: string; breaking: boolean };

/**
 * Which of our migrations a schema still needs, in order.
 * @throws AppError `migration_changed` when an applied file differs from ours, `schema_too_new` when the schema has a
 * migration that we do not know and that is marked breaking. Unknown ones that are not breaking are tolerated.
 */
export function planMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const ours = new Map(known.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = ours.get(row.version);
    if (migration === undefined) {
      if (row.breaking) {
        throw new AppError(
          'schema_too_new',
          `the database has the breaking migration ${row.name}, which this Weir does not know: start a newer Weir`,
          { migration: row.name },
        );
      }
    } else if (migration.checksum !== row.checksum) {
      throw new AppError(
        'migration_changed',
        `${migration.name} was changed after it had been applied as ${row.name}: restore the file and put the change into a new migration`,
        {
          migration: migration.name,
          applied_checksum: row.checksum,
          file_checksum: migration.checksum,
        },
      );
    }
  }
  const done = new Set(applied.map((row) => row.version));
  return known.filter((migration) => !done.has(migration.version));
}
