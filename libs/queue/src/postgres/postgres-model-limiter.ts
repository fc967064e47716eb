import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import type { LimitAnswer, LimitAsk, ModelLimiter, Reservation } from '#libs/engine';
import type { Answers } from '../answers.js';
import {
  bucketWaitMs,
  cellMsOf,
  emptyBucket,
  MEAN_SHARE,
  pruneBucket,
  type LimitBucket,
} from '../limiter/limit-bucket.js';

const bucketSchema = z.object({
  cells: z.record(z.string(), z.object({ requests: z.number(), tokens: z.number() })),
  waiting: z.record(z.string(), z.number()),
  running: z.record(z.string(), z.number()),
  closedUntilMs: z.number(),
  callMs: z.number(),
});
const rowSchema = z.object({ key: z.string(), state: bucketSchema.nullable() });

type Held = { nowMs: number; buckets: ReadonlyMap<string, LimitBucket> };

/** Allowances in the queue's schema, one row a bucket, under its lock, by Postgres' clock. For development, like its queue. */
export class PostgresModelLimiter implements ModelLimiter {
  private readonly table: string;

  constructor(
    private readonly pool: Pool,
    schema: string,
    private readonly answers: Answers,
    private readonly cellMs = cellMsOf(),
  ) {
    this.table = `"${schema.replaceAll('"', '""')}".weir_model_limit`;
  }

  /** Under a lock: two sessions that create one table at once fail in the catalog even with `if not exists`. */
  async createTable(): Promise<void> {
    await this.pool.query(
      `do $$ begin
         perform pg_advisory_xact_lock(hashtext('weir model limits'));
         create table if not exists ${this.table} (key text primary key, state jsonb);
       end $$`,
    );
  }

  reserve({ ticket, limits, tokens, holdMs }: LimitAsk): Promise<LimitAnswer> {
    return this.change('reserve a model call', keysOf(limits), ({ nowMs, buckets }) => {
      const asked = limits.map((limit) => {
        const bucket = buckets.get(limit.key) ?? emptyBucket();
        return { bucket, waitMs: bucketWaitMs(bucket, limit, { ticket, tokens, nowMs, cellMs: this.cellMs }) };
      });
      const waitMs = Math.max(0, ...asked.map((one) => one.waitMs));
      const id = randomUUID();
      for (const { bucket, waitMs: ownWaitMs } of asked) {
        delete bucket.waiting[ticket];
        if (waitMs === 0) take(bucket, { id, tokens, nowMs, holdMs, cellMs: this.cellMs });
        else if (ownWaitMs > 0) bucket.waiting[ticket] = nowMs + waitMs;
      }
      return waitMs === 0
        ? { kind: 'granted', reservation: { id, limits, tokens, grantedAtMs: nowMs } }
        : { kind: 'wait', waitMs };
    });
  }

  settle({ id, limits, tokens: estimate, grantedAtMs }: Reservation, tokens: number | null): Promise<void> {
    return this.change('settle a model call', keysOf(limits), ({ nowMs, buckets }) => {
      for (const bucket of buckets.values()) {
        const cell = bucket.cells[Math.floor(grantedAtMs / this.cellMs)];
        if (cell !== undefined && tokens !== null) cell.tokens += tokens - estimate;
        if (bucket.running[id] === undefined) continue;
        delete bucket.running[id];
        bucket.callMs += (nowMs - grantedAtMs - bucket.callMs) * MEAN_SHARE;
      }
    });
  }

  close(keys: readonly string[], forMs: number): Promise<void> {
    return this.change('close a bucket', keys, ({ nowMs, buckets }) => {
      for (const bucket of buckets.values()) bucket.closedUntilMs = Math.max(bucket.closedUntilMs, nowMs + forMs);
    });
  }

  private change<T>(what: string, keys: readonly string[], work: (held: Held) => T): Promise<T> {
    return this.answers.within(what, async () => {
      const client = await this.pool.connect();
      try {
        await client.query('begin');
        const held = await this.lock(client, keys);
        const result = work(held);
        for (const [key, state] of held.buckets)
          await client.query(`update ${this.table} set state = $2 where key = $1`, [key, JSON.stringify(state)]);
        await client.query('commit');
        client.release();
        return result;
      } catch (error) {
        // The session is in an unknown state: it is not used again, and Postgres rolls back.
        client.release(true);
        throw error;
      }
    });
  }

  /** Locked in the order of keys, so that two askers never wait for each other. */
  private async lock(client: PoolClient, keys: readonly string[]): Promise<Held> {
    await client.query(
      `insert into ${this.table} (key) select key from unnest($1::text[]) key order by key on conflict do nothing`,
      [keys],
    );
    const { rows } = await client.query(
      `select key, state from ${this.table} where key = any($1) order by key for update`,
      [keys],
    );
    const clock = await client.query<{ now: string }>('select extract(epoch from clock_timestamp()) * 1000 as now');
    const nowMs = Math.floor(Number(clock.rows[0]?.now));
    const buckets = new Map(
      z
        .array(rowSchema)
        .parse(rows)
        .map(({ key, state }) => [key, state ?? emptyBucket()]),
    );
    for (const bucket of buckets.values()) pruneBucket(bucket, nowMs, this.cellMs);
    return { nowMs, buckets };
  }
}

type Taken = { id: string; tokens: number; nowMs: number; holdMs: number; cellMs: number };

function take(bucket: LimitBucket, call: Taken): void {
  const at = Math.floor(call.nowMs / call.cellMs);
  const cell = bucket.cells[at] ?? { requests: 0, tokens: 0 };
  bucket.cells[at] = { requests: cell.requests + 1, tokens: cell.tokens + call.tokens };
  bucket.running[call.id] = call.nowMs + call.holdMs;
}

const keysOf = (limits: readonly { key: string }[]): string[] => limits.map(({ key }) => key);
