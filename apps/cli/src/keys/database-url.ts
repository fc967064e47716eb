import { UsageError } from '../terminal/exit-code.js';
import { loadSettings } from '#libs/platform';

/** For commands that speak to the database itself: they work before any server runs. */
export function databaseUrl(): string {
  const { url } = loadSettings().database;
  if (url !== null) return url;
  throw new UsageError(
    'DATABASE_URL is not set. (`weir up` migrates its own database and makes the first key by itself; ' +
      'with that key POST /v1/admin/api-keys makes others.)',
  );
}
