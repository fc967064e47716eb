import { createTestDatabase, describeRedis, testRedis, waitFor } from '../../../test/support/index.js';
import type { LimitAnswer, ModelLimit, ModelLimiter, Reservation } from '#libs/engine';
import { createQueueBackend, type QueueBackend, type QueueSettings } from './index.js';

const limit = (key: string, bounds: Partial<ModelLimit> = {}): ModelLimit => ({
  key,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
  ...bounds,
});

function reservationOf(answer: LimitAnswer): Reservation {
  if (answer.kind === 'granted') return answer.reservation;
  throw new Error(`expected a grant, was told to wait ${answer.waitMs} ms`);
}

function waitOf(answer: LimitAnswer): number {
  if (answer.kind === 'wait') return answer.waitMs;
  throw new Error('expected to have to wait, was granted');
}

let keys = 0;
const freshKey = (): string => `openai:m-${(keys += 1)}`;

/** What the engine relies on, whichever server keeps the allowances. */
function keepsAllowances(open: () => Promise<{ settings: QueueSettings; dispose: () => Promise<void> }>): void {
  let dispose: () => Promise<void>;
  let backends: QueueBackend[];
  let limiter: ModelLimiter;
  let other: ModelLimiter;
  const ask = (limits: ModelLimit[], ticket: string, tokens = 10, by = limiter): Promise<LimitAnswer> =>
    by.reserve({ ticket, limits, tokens, holdMs: 60_000 });

  beforeAll(async () => {
    const opened = await open();
    dispose = opened.dispose;
    backends = await Promise.all([1, 2].map(() => createQueueBackend(opened.settings, () => undefined)));
    limiter = backends[0]!.limiter;
    other = backends[1]!.limiter;
  });
  afterAll(async () => {
    await Promise.all(backends.map((backend) => backend.close()));
    await dispose();
  });

  it('grants as many requests as a minute allows, to all processes together, and lines the others up', async () => {
    const limits = [limit(freshKey(), { requestsPerMinute: 5 })];
    const answers: LimitAnswer[] = [];
    for (let n = 0; n < 12; n += 1) answers.push(await ask(limits, `t${n}`, 10, n % 2 === 0 ? limiter : other));
    expect(answers.map((answer) => answer.kind)).toEqual([...Array(5).fill('granted'), ...Array(7).fill('wait')]);
    const waits = answers.slice(5).map(waitOf);
    // Five of them in the next minute, two in the one after it.
    expect(waits.filter((wait) => wait <= 61_000)).toHaveLength(5);
    expect(waits.filter((wait) => wait > 61_000)).toHaveLength(2);
    for (const wait of waits.slice(0, 5)) expect(wait).toBeGreaterThan(55_000);
  });

  it('grants nothing twice when many ask at once', async () => {
    const limits = [limit(freshKey(), { requestsPerMinute: 7 })];
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => ask(limits, `t${n}`, 1, n % 2 === 0 ? limiter : other)),
    );
    expect(answers.filter((answer) => answer.kind === 'granted')).toHaveLength(7);
  });

  it('reserves the estimate of tokens and settles with the actual number', async () => {
    const limits = [limit(freshKey(), { tokensPerMinute: 1000 })];
    const first = reservationOf(await ask(limits, 'a', 800));
    expect(waitOf(await ask(limits, 'b', 300))).toBeGreaterThan(55_000);
    await other.settle(first, 100);
    reservationOf(await ask(limits, 'b', 300));
    reservationOf(await ask(limits, 'c', 600));
    waitOf(await ask(limits, 'd', 1));
  });

  it('gives what is larger than the whole allowance all of it, once', async () => {
    const limits = [limit(freshKey(), { tokensPerMinute: 100 })];
    reservationOf(await ask(limits, 'large', 5000));
    waitOf(await ask(limits, 'small', 1));
  });

  it('bounds how many calls run at the same time, and frees a place when one is settled', async () => {
    const limits = [limit(freshKey(), { concurrentRequests: 2 })];
    const first = reservationOf(await ask(limits, 'a'));
    reservationOf(await ask(limits, 'b', 10, other));
    expect(waitOf(await ask(limits, 'c'))).toBeLessThan(10_000);
    await limiter.settle(first, null);
    reservationOf(await ask(limits, 'c'));
    waitOf(await ask(limits, 'd'));
  });

  it('frees the place of a call that was never settled after its time', async () => {
    const limits = [limit(freshKey(), { concurrentRequests: 1 })];
    reservationOf(await limiter.reserve({ ticket: 'dies', limits, tokens: 1, holdMs: 200 }));
    waitOf(await ask(limits, 'next'));
    await waitFor(async () => (await ask(limits, 'next')).kind === 'granted');
  });

  it('closes a bucket for all until the time that a provider named', async () => {
    const key = freshKey();
    await other.close([key], 900);
    await other.close([key], 10);
    const wait = waitOf(await ask([limit(key)], 'a'));
    expect(wait).toBeGreaterThan(300);
    expect(wait).toBeLessThanOrEqual(900);
    expect(waitOf(await ask([limit(key)], 'b'))).toBeGreaterThan(0);
    await waitFor(async () => (await ask([limit(key)], 'a')).kind === 'granted');
  });

  it('takes a request out of all of its buckets or out of none', async () => {
    const connection = limit(freshKey(), { requestsPerMinute: 2 });
    const busy = limit(freshKey(), { requestsPerMinute: 1 });
    reservationOf(await ask([connection, busy], 'a'));
    waitOf(await ask([connection, busy], 'b'));
    waitOf(await ask([connection, busy], 'c'));
    // The connection has one left, and nobody who waits for another model keeps it.
    reservationOf(await ask([connection, limit(freshKey())], 'd'));
    waitOf(await ask([connection, limit(freshKey())], 'e'));
  });

  it('lets nobody take the room that others were told to come for', async () => {
    const limits = [limit(freshKey(), { concurrentRequests: 1 })];
    const first = reservationOf(await ask(limits, 'a'));
    const wait = waitOf(await ask(limits, 'first in line'));
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 6000) + 50));
    await limiter.settle(first, null);
    waitOf(await ask(limits, 'newcomer'));
    reservationOf(await ask(limits, 'first in line'));
  }, 15_000);

  it('knows who listens to a stream', async () => {
    const [here, there] = backends.map((backend) => backend.wakeups);
    await expect(here!.hasListener('prj', 'chat-1')).resolves.toBe(false);
    await there!.announceListener('prj', 'chat-1');
    await waitFor(() => here!.hasListener('prj', 'chat-1'));
    await expect(here!.hasListener('prj', 'chat-2')).resolves.toBe(false);
    await expect(here!.hasListener('other', 'chat-1')).resolves.toBe(false);
  });
}

describe('allowances in Postgres', () => {
  keepsAllowances(async () => {
    const database = await createTestDatabase({ migrated: false });
    return { settings: { kind: 'postgres', url: database.url }, dispose: database.drop };
  });
});

describeRedis('allowances in Redis', () => {
  keepsAllowances(async () => ({
    settings: { kind: 'redis', ...(await testRedis()) },
    dispose: () => Promise.resolve(),
  }));
});
