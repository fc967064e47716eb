import { fine, failing } from '#libs/domain';
import type { Redis } from 'ioredis';
import type { Answers } from '../answers.js';
import { queueHealth, type QueueHealth } from '../queue-health.js';
import { hashTagged } from '../queue-names.js';
import type { RedisQueueSettings } from '../queue-settings.js';
import { judgeRedis } from './judge-redis.js';
import { RedisEpoch } from './redis-epoch.js';
import { readRedisFacts } from './redis-facts.js';

const what = { id: 'redis', expected: 'a Redis that answers', isNeeded: true };

export async function redisHealth(
  commands: Redis,
  settings: Pick<RedisQueueSettings, 'allowEviction' | 'prefix'>,
  answers: Answers,
  nowMs?: () => number,
): Promise<QueueHealth> {
  // INFO is let through before the connection may carry other commands.
  if (commands.status !== 'ready') return unreachable(`no connection to Redis (${commands.status})`);
  try {
    const facts = await readRedisFacts(commands, answers, nowMs);
    const findings = [fine({ ...what, found: 'Redis answers' }), ...judgeRedis(facts, settings.allowEviction ?? false)];
    const epoch = await new RedisEpoch(commands, hashTagged(settings.prefix), answers).read();
    return queueHealth(findings, { clock: facts.clock, epoch, connections: facts.connections });
  } catch (error) {
    return unreachable(error instanceof Error ? error.message : String(error));
  }
}

export function unreachable(found: string): QueueHealth {
  return queueHealth([failing({ ...what, found }, 'start it, or correct REDIS_URL')]);
}
