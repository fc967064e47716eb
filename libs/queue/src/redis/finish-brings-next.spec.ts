import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import fc from 'fast-check';
import { describeRedis, testRedis, waitFor } from '../../../../test/support/index.js';
import { createWorkerBackend, Looks } from './finish-brings-next.js';

const brings = { result: [{ id: 'next' }, 'next', 0, 0] as unknown[] };
const bringsNothing = { result: [null, 0, 0, 0] as unknown[] };
const look = (looks: Looks): Promise<string> => looks.look(() => Promise.resolve('made'), 'spared');

describe('a look into the queue', () => {
  it('is spared once after a job was brought: whoever the marker wakes looks', async () => {
    const looks = new Looks();
    await looks.ending(Promise.resolve(brings));
    await expect(look(looks)).resolves.toBe('spared');
    await expect(look(looks)).resolves.toBe('made');
  });

  it('is made after a job that brought none', async () => {
    const looks = new Looks();
    await looks.ending(Promise.resolve(bringsNothing));
    await expect(look(looks)).resolves.toBe('made');
  });

  it('waits for a script that saw what the wake-up was for, and is made when that brings nothing or fails', async () => {
    for (const [answer, expected] of [
      [() => Promise.resolve(brings), 'spared'],
      [() => Promise.resolve(bringsNothing), 'made'],
      [() => Promise.reject(new Error('away')), 'made'],
    ] as [answer: () => Promise<typeof brings>, string][]) {
      const looks = new Looks();
      let wake: () => void = () => undefined;
      const waiting = looks.woken(new Promise<void>((resolve) => (wake = resolve)));
      const ended = looks.ending(delay(5).then(answer)).catch(() => undefined);
      wake();
      await waiting;
      await expect(look(looks)).resolves.toBe(expected);
      await ended;
    }
  });

  it('is made when the wake-up comes long after the script: its marker woke another worker', async () => {
    let nowMs = 0;
    const looks = new Looks(() => nowMs);
    let wake: () => void = () => undefined;
    const waiting = looks.woken(new Promise<void>((resolve) => (wake = resolve)));
    await looks.ending(Promise.resolve(brings));
    nowMs = 1000;
    wake();
    await waiting;
    await expect(look(looks)).resolves.toBe('made');
  });

  it('that was spared for a wake-up is owed: the next wait is short until one is made', async () => {
    const looks = new Looks();
    let wake: () => void = () => undefined;
    const waiting = looks.woken(new Promise<void>((resolve) => (wake = resolve)));
    await looks.ending(Promise.resolve(brings));
    expect(looks.longestWaitS()).toBe(Infinity);
    wake();
    await waiting;
    await expect(look(looks)).resolves.toBe('spared');
    expect(looks.longestWaitS()).toBeLessThan(0.1);
    await looks.woken(Promise.resolve());
    await expect(look(looks)).resolves.toBe('made');
    expect(looks.longestWaitS()).toBe(Infinity);
  });

  it('is made for a wake-up of a wait that began after the script was sent', async () => {
    const looks = new Looks();
    const ended = looks.ending(delay(5).then(() => brings));
    await looks.woken(Promise.resolve());
    await expect(look(looks)).resolves.toBe('made');
    await ended;
  });
});

const QUEUE = 'looks';
/** A look that is missing shows as a wait for this long. */
const DRAIN_DELAY_S = 20;
const PROMPT_MS = 8_000;

type ChainJob = { left: number; workMs: number };

describeRedis('workers for whom an ended job brings the next one', () => {
  it('find every job without waiting for the poll, however jobs are added beside', async () => {
    const { url, prefix } = await testRedis();
    const queue = new Queue<ChainJob>(QUEUE, { connection: { url }, prefix });
    let done = 0;
    const add = (left: number, workMs = 0): Promise<unknown> =>
      queue.add('job', { left, workMs }, { priority: 1, removeOnComplete: true });
    const take = async ({ data: { left, workMs } }: { data: ChainJob }): Promise<void> => {
      if (workMs > 0) await delay(workMs);
      // As the engine does: what follows is on its way when the job ends.
      if (left > 0) void add(left - 1, workMs);
      done += 1;
      return Promise.resolve();
    };
    const workers = [1, 2, 3, 4].map(
      () =>
        new Worker(
          QUEUE,
          take,
          { connection: { url }, prefix, concurrency: 3, drainDelay: DRAIN_DELAY_S },
          createWorkerBackend,
        ),
    );
    try {
      await Promise.all(workers.map((worker) => worker.waitUntilReady()));
      const chains = fc.array(
        fc.record({
          steps: fc.integer({ min: 0, max: 6 }),
          afterMs: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 5, max: 60 })),
        }),
        {
          minLength: 1,
          maxLength: 12,
        },
      );
      await fc.assert(
        fc.asyncProperty(chains, async (added) => {
          const expected = done + added.reduce((sum, { steps }) => sum + steps + 1, 0);
          await Promise.all(added.map(({ steps, afterMs }) => delay(afterMs).then(() => add(steps))));
          await waitFor(() => done === expected, { timeoutMs: PROMPT_MS });
        }),
        { numRuns: 60, endOnFailure: true },
      );
      // Where all workers wait, some since long ago.
      for (let chain = 0; chain < 100; chain += 1) {
        const expected = done + 3;
        await add(2, 2);
        await waitFor(() => done === expected, { timeoutMs: PROMPT_MS });
      }
    } finally {
      await Promise.all(workers.map((worker) => worker.close()));
      await queue.close();
    }
  }, 120_000);
});
