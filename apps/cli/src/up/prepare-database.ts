import { connect, migrate, switchQueueBackend } from '#libs/event-store';
import type { Logger } from '#libs/platform';
import type { BackingServices } from './backing-services.js';

/**
 * Migrates, and when Postgres is our own lets the queue move: starts with and without Redis take turns on one data
 * folder, and its lock says that no process of the last start is left. A given database may serve others.
 */
export async function prepareDatabase(services: BackingServices, logger: Logger): Promise<void> {
  await migrate(services.postgresUrl, { log: (text) => logger.info(text) });
  if (!services.isPostgresOurs) return;
  const database = connect({ url: services.postgresUrl, poolSize: 1, prepare: false, applicationName: 'weir up' });
  try {
    await database.run((sql) => switchQueueBackend(sql, services.queueBackend));
  } finally {
    await database.close();
  }
}
