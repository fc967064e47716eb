import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '#libs/domain';

/** A file `migrations/NNNN_name.sql`. `checksum` is the SHA-256 (hex) of its text with LF line ends. */
export type Migration = { version: number; name: string; text: string; checksum: string; breaking: boolean };

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const BREAKING_LINE = /^-- breaking: (true|false)$/m;

/** The repository's `migrations` folder: the same distance is not the same from sources and from `dist`, so it is searched upwards. */
export function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = join(folder, 'migrations');
    if (existsSync(join(candidate, '0001_core.sql'))) return candidate;
    const parent = dirname(folder);
    if (parent === folder)
      throw new AppError(
        'migrations_missing',
        'no folder "migrations" with 0001_core.sql above the event store; is the checkout complete?',
      );
    folder = parent;
  }
}

/**
 * All migrations in order of their numbers.
 * @throws AppError `migration_malformed` when numbers have a gap or repeat, or a file lacks its line `-- breaking: true|false`.
 */
export async function readMigrations(folder: string = migrationsFolder()): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort();
  const migrations = await Promise.all(
    names.map(async (name) => parseMigration(name, await readFile(join(folder, name), 'utf8'))),
  );
  migrations.forEach((migration, index) => {
    if (migration.version !== index + 1) {
      throw new AppError(
        'migration_malformed',
        `${migration.name} has number ${migration.version}, expected ${index + 1}: numbers go up by one from 0001`,
        { name: migration.name },
      );
    }
  });
  return migrations;
}

function parseMigration(name: string, raw: string): Migration {
  const text = raw.replaceAll('\r\n', '\n');
  const breaking = BREAKING_LINE.exec(text)?.[1];
  if (breaking === undefined) {
    throw new AppError(
      'migration_malformed',
      `${name} needs a line "-- breaking: true" or "-- breaking: false": it decides whether an older Weir may run on the new schema`,
      { name },
    );
  }
  return {
    version: Number(name.slice(0, 4)),
    name,
    text,
    checksum: createHash('sha256').update(text).digest('hex'),
    breaking: breaking === 'true',
  };
}
