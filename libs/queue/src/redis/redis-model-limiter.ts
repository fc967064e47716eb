import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { LimitAnswer, LimitAsk, ModelLimiter, Reservation } from '#libs/engine';
import type { Answers } from '../answers.js';
import { cellMsOf } from '../limiter/limit-bucket.js';
import { bucketKeys, CLOSE, RESERVE, SETTLE } from '../limiter/reserve-script.js';

const reserved = z.tuple([z.literal([0, 1]), z.number()]);

/** Allowances in Redis, by its clock. What is lost with Redis is at most a minute's count: providers' own limits remain. */
export class RedisModelLimiter implements ModelLimiter {
  constructor(
    private readonly commands: Redis,
    private readonly prefix: string,
    private readonly answers: Answers,
    private readonly cellMs = cellMsOf(),
  ) {}

  async reserve({ ticket, limits, tokens, holdMs }: LimitAsk): Promise<LimitAnswer> {
    const id = randomUUID();
    const bounds = limits.flatMap((limit) => [
      limit.requestsPerMinute ?? -1,
      limit.tokensPerMinute ?? -1,
      limit.concurrentRequests ?? -1,
    ]);
    const answer = await this.run('reserve a model call', RESERVE, limits, [
      ticket,
      id,
      tokens,
      holdMs,
      this.cellMs,
      ...bounds,
    ]);
    const [isGranted, value] = reserved.parse(answer);
    if (isGranted === 0) return { kind: 'wait', waitMs: value };
    return { kind: 'granted', reservation: { id, limits, tokens, grantedAtMs: value } };
  }

  async settle({ id, limits, tokens: estimate, grantedAtMs }: Reservation, tokens: number | null): Promise<void> {
    const cell = Math.floor(grantedAtMs / this.cellMs);
    const difference = tokens === null ? 0 : tokens - estimate;
    await this.run('settle a model call', SETTLE, limits, [id, cell, difference, grantedAtMs]);
  }

  async close(keys: readonly string[], forMs: number): Promise<void> {
    await this.run(
      'close a bucket',
      CLOSE,
      keys.map((key) => ({ key })),
      [forMs],
    );
  }

  private run(
    what: string,
    script: string,
    buckets: readonly { key: string }[],
    values: readonly (string | number)[],
  ): Promise<unknown> {
    const keys = buckets.flatMap(({ key }) => bucketKeys(this.prefix, key));
    return this.answers.within(what, () => this.commands.eval(script, keys.length, ...keys, ...values));
  }
}
