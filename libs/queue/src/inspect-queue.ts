import { Answers } from './answers.js';
import { onPostgres } from './postgres/postgres-health.js';
import { queueHealth, type QueueHealth } from './queue-health.js';
import {
  checkRedisSettings,
  DEFAULT_COMMAND_TIMEOUT_MS,
  type QueueSettings,
  type RedisQueueSettings,
} from './queue-settings.js';
import { closeClient, commandClient, waitForConnection } from './redis/redis-clients.js';
import { redisHealth, unreachable } from './redis/redis-health.js';

/**
 * `health` of a queue for whoever starts no process: over a connection of its own, nothing is written. Never throws for a
 * server that is away. A queue on Postgres is not asked: its server is the runs' own.
 * @throws AppError `invalid_queue_settings`
 */
export async function inspectQueue(settings: QueueSettings, nowMs?: () => number): Promise<QueueHealth> {
  switch (settings.kind) {
    case 'redis':
      return inspectRedis(settings, nowMs);
    case 'postgres':
      return queueHealth([onPostgres]);
  }
}

async function inspectRedis(settings: RedisQueueSettings, nowMs?: () => number): Promise<QueueHealth> {
  checkRedisSettings(settings);
  const faults: string[] = [];
  const timeoutMs = settings.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS;
  const commands = commandClient(settings, (_what, error) => faults.push(messageOf(error)));
  try {
    await waitForConnection(commands, timeoutMs);
    const health = await redisHealth(commands, settings, new Answers(timeoutMs), nowMs);
    const isUnreached = health.clock === null && faults.length > 0;
    return isUnreached ? unreachable(`no connection to Redis: ${faults.at(-1)}`) : health;
  } finally {
    closeClient(commands);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
