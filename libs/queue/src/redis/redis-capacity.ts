import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { QueueLoad } from '../bullmq-step-queue.js';
import type { WorkerCapacity } from '../queue-backend.js';
import type { Answers } from '../answers.js';

const HOLDS_SECONDS = 15;

/** Redis' own clock decides what is stale, so the clocks of hosts may differ. */
const ANNOUNCE = `
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return redis.call('ZADD', KEYS[1], redis.call('TIME')[1] + ARGV[3], ARGV[1])`;
/** What the workers can run and what waits for them, in BullMQ's own lists: one script, because a busy process asks often. */
const LOAD = `
local stale = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', redis.call('TIME')[1])
for _, id in ipairs(stale) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
end
local total = 0
for _, jobs in ipairs(redis.call('HVALS', KEYS[2])) do total = total + jobs end
return {total, redis.call('LLEN', KEYS[3]) + redis.call('ZCARD', KEYS[4]) + redis.call('ZCARD', KEYS[5])}`;

const loadAnswer = z.tuple([z.number(), z.number()]);

export class RedisCapacity implements WorkerCapacity {
  constructor(
    private readonly commands: Redis,
    private readonly prefix: string,
    private readonly answers: Answers,
    /** BullMQ's key of a kind of jobs. */
    private readonly keyOf: (kind: string) => string,
  ) {}

  async announce(workerId: string, jobs: number): Promise<void> {
    await this.answers.within('note a worker', () =>
      this.commands.eval(ANNOUNCE, 2, ...this.keys(), workerId, jobs, HOLDS_SECONDS),
    );
  }

  async withdraw(workerId: string): Promise<void> {
    const [until, jobs] = this.keys();
    await this.answers.within('forget a worker', () =>
      Promise.all([this.commands.zrem(until, workerId), this.commands.hdel(jobs, workerId)]),
    );
  }

  async load(): Promise<QueueLoad> {
    const keys = [...this.keys(), ...['wait', 'prioritized', 'delayed'].map(this.keyOf)];
    const [capacity, waiting] = loadAnswer.parse(await this.commands.eval(LOAD, keys.length, ...keys));
    return { capacity, waiting };
  }

  private keys(): [string, string] {
    return [`${this.prefix}:workers:until`, `${this.prefix}:workers:jobs`];
  }
}
