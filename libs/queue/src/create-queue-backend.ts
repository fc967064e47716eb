import { createPostgresQueueBackend } from './postgres/postgres-backend.js';
import type { QueueBackend, ReportFault } from './queue-backend.js';
import type { QueueSettings } from './queue-settings.js';
import { createRedisQueueBackend } from './redis/redis-backend.js';

/**
 * Redis may be away when this returns: pushes then fail at once, rows stay undispatched, and all goes on by itself
 * when it is back. Postgres must be there (it holds the runs too).
 * @throws AppError `invalid_queue_settings`
 */
export async function createQueueBackend(settings: QueueSettings, reportFault: ReportFault): Promise<QueueBackend> {
  switch (settings.kind) {
    case 'redis':
      return createRedisQueueBackend(settings, reportFault);
    case 'postgres':
      return createPostgresQueueBackend(settings, reportFault);
  }
}
