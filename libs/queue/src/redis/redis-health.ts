import type { Redis } from 'ioredis';
import type { Answers } from '../answers.js';
import type { QueueHealth } from '../queue-backend.js';

/** BullMQ's recommended minimum; below it commands that it uses are missing. */
const MINIMUM_VERSION: readonly [number, number] = [6, 2];

export async function redisHealth(commands: Redis, allowEviction: boolean, answers: Answers): Promise<QueueHealth> {
  // INFO is let through before the connection may carry other commands.
  if (commands.status !== 'ready')
    return { ok: false, code: 'queue_unreachable', detail: `no connection to Redis (${commands.status})` };
  try {
    const info = await answers.within('answer', () => commands.info());
    return judgeRedis(info, allowEviction);
  } catch (error) {
    return { ok: false, code: 'queue_unreachable', detail: error instanceof Error ? error.message : String(error) };
  }
}

/** `info` is the answer to INFO, which managed servers allow where they refuse CONFIG GET. */
export function judgeRedis(info: string, allowEviction: boolean): QueueHealth {
  const field = (name: string): string | null => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
  const version = field('redis_version') ?? 'unknown';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < MINIMUM_VERSION[0] || (major === MINIMUM_VERSION[0] && minor < MINIMUM_VERSION[1])) {
    return {
      ok: false,
      code: 'redis_too_old',
      detail: `Redis ${version} is too old: expected ${MINIMUM_VERSION.join('.')} or newer (or Valkey).`,
    };
  }
  const policy = field('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction' && !allowEviction) {
    return {
      ok: false,
      code: 'redis_evicts_keys',
      detail: `Redis may evict keys (maxmemory-policy ${policy}), so jobs and their locks can vanish: set maxmemory-policy noeviction, or WEIR_ALLOW_EVICTION=true to take the risk.`,
    };
  }
  return { ok: true, detail: `Redis ${version}` };
}
