import type { Redis } from 'ioredis';
import { measureClockSkew, type ClockSkew } from '#libs/domain';
import type { Answers } from '../answers.js';

/** What Redis says of itself. Sizes in bytes. */
export type RedisFacts = {
  readonly version: string;
  readonly evictionPolicy: string;
  /** 0: no limit but the machine's. */
  readonly maxMemory: number;
  readonly usedMemory: number;
  readonly connections: number;
  readonly role: string;
  /** Why Redis would refuse writes after a failed save, as it names it; null when it does not. */
  readonly failedSave: 'rdb_last_bgsave_status' | 'aof_last_write_status' | null;
  readonly persistence: 'append-only file' | 'snapshots' | 'none';
  readonly clock: ClockSkew;
};

/** By INFO and TIME, which managed servers allow where they refuse CONFIG GET. @throws RetryableError `queue_unavailable` */
export async function readRedisFacts(
  commands: Redis,
  answers: Answers,
  nowMs: () => number = Date.now,
): Promise<RedisFacts> {
  const info = await answers.within('answer', () => commands.info());
  const clock = await measureClockSkew(async () => {
    const [seconds, microseconds] = await answers.within('tell the time', () => commands.time());
    return Number(seconds) * 1000 + Number(microseconds) / 1000;
  }, nowMs);
  return { ...parseInfo(info), clock };
}

/** `info`: the answer to INFO. */
export function parseInfo(info: string): Omit<RedisFacts, 'clock'> {
  const field = (name: string): string | null => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
  const isAppending = field('aof_enabled') === '1';
  const saves = field('rdb_last_save_time') !== null && Number(field('rdb_saves') ?? 0) > 0;
  return {
    version: field('redis_version') ?? 'unknown',
    evictionPolicy: field('maxmemory_policy') ?? 'noeviction',
    maxMemory: Number(field('maxmemory') ?? 0),
    usedMemory: Number(field('used_memory') ?? 0),
    connections: Number(field('connected_clients') ?? 0),
    role: field('role') ?? 'master',
    failedSave: failedSave(field('rdb_last_bgsave_status'), isAppending ? field('aof_last_write_status') : null),
    persistence: isAppending ? 'append-only file' : saves ? 'snapshots' : 'none',
  };
}

function failedSave(snapshot: string | null, append: string | null): RedisFacts['failedSave'] {
  if (append !== null && append !== 'ok') return 'aof_last_write_status';
  return snapshot !== null && snapshot !== 'ok' ? 'rdb_last_bgsave_status' : null;
}
