import { UsageError } from '../terminal/exit-code.js';
import { settingsOfInstallation } from '../client/own-services.js';

/** For commands that speak to the database itself: they work before any server runs. */
export function databaseUrl(): string {
  const { url } = settingsOfInstallation().database;
  if (url !== null) return url;
  throw new UsageError(
    'DATABASE_URL is not set, and WEIR_DATA_DIR (.weir unless it says otherwise) is not the data folder of a `weir up` ' +
      'that started a database of its own.',
  );
}
