import { AppError } from '#libs/domain';
import type { QueueSettings } from '#libs/queue';
import type { Settings } from '#libs/platform';

/**
 * Which server carries the queue: Redis when its address is known, else the database (development only).
 * @throws AppError `missing_setting`
 */
export function queueSettings({ queue, database }: Pick<Settings, 'queue' | 'database'>): QueueSettings {
  if (queue.backend !== 'postgres' && queue.redisUrl !== null) {
    const { redisUrl: url, prefix, allowEviction, limitMinuteMs } = queue;
    return { kind: 'redis', url, prefix, allowEviction, limitMinuteMs };
  }
  if (queue.backend === 'redis')
    throw new AppError('missing_setting', 'REDIS_URL is not set, though WEIR_QUEUE_BACKEND is redis.');
  return { kind: 'postgres', url: databaseUrl({ database }), limitMinuteMs: queue.limitMinuteMs };
}

/** @throws AppError `missing_setting` */
export function databaseUrl({ database }: Pick<Settings, 'database'>): string {
  if (database.url === null)
    throw new AppError(
      'missing_setting',
      'DATABASE_URL is not set: expected the address of Weir\'s Postgres ("weir up" starts one by itself).',
    );
  return database.url;
}
