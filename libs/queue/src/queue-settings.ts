import { AppError } from '#libs/domain';

export type RedisQueueSettings = {
  kind: 'redis';
  /** `redis://`, `rediss://` or `unix://`. */
  url: string;
  /** Letters, digits, `_`, `-`; becomes the hash tag of every key. Two installations on one Redis need two prefixes. */
  prefix: string;
  /** Start although Redis may evict keys: jobs then vanish under memory pressure and come back only with the sweeper. */
  allowEviction?: boolean;
  /** Longest wait for an answer of Redis, in milliseconds (default 1500). Callers never wait longer. */
  commandTimeoutMs?: number;
  /** How many jobs may wait in the queue while no worker has told its capacity (default 40). */
  admissionFloor?: number;
  /** How long the minute of requests and tokens a minute is (default 60,000): tests shorten it. */
  limitMinuteMs?: number;
};

/** For development and smoke tests: lower rates, wake-ups through LISTEN/NOTIFY. */
export type PostgresQueueSettings = {
  kind: 'postgres';
  /** `postgres://`. */
  url: string;
  /** The schema that BullMQ owns (default `bullmq`); it is created and migrated at start. */
  schema?: string;
  admissionFloor?: number;
  limitMinuteMs?: number;
};

export type QueueSettings = RedisQueueSettings | PostgresQueueSettings;

export const DEFAULT_ADMISSION_FLOOR = 40;
export const DEFAULT_COMMAND_TIMEOUT_MS = 1500;
export const DEFAULT_QUEUE_SCHEMA = 'bullmq';

/** Postgres connections of one process for its queue: BullMQ's two queues and its worker (4 each), commands (2), wake-ups. */
const CONNECTIONS_ON_POSTGRES = 15;
export function connectionsOfQueue(kind: QueueSettings['kind']): number {
  switch (kind) {
    case 'redis':
      return 0;
    case 'postgres':
      return CONNECTIONS_ON_POSTGRES;
  }
}

/**
 * ioredis reads options from the address' query. A `keyPrefix` rewrites keys behind the back of BullMQ's scripts,
 * which then work on keys that nobody else sees: refused at boot.
 * @throws AppError `invalid_queue_settings`
 */
export function checkRedisSettings(settings: RedisQueueSettings): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(settings.prefix)) {
    throw new AppError(
      'invalid_queue_settings',
      `The queue prefix ${JSON.stringify(settings.prefix)} cannot be used: expected 1 to 64 letters, digits, _ or - (WEIR_QUEUE_PREFIX).`,
    );
  }
  if (!URL.canParse(settings.url)) {
    throw new AppError(
      'invalid_queue_settings',
      'The address of Redis cannot be read: expected redis://, rediss:// or unix:// (REDIS_URL).',
    );
  }
  const options = [...new URL(settings.url).searchParams.keys()].map((name) => name.toLowerCase());
  if (options.includes('keyprefix')) {
    throw new AppError(
      'invalid_queue_settings',
      'The address of Redis sets keyPrefix, which breaks the scripts of BullMQ: remove it from REDIS_URL and set WEIR_QUEUE_PREFIX.',
    );
  }
}
