import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { createTestDatabase, describeRedis, testRedis, waitFor } from '../../../test/support/index.js';
import {
  createQueueBackend,
  decodeStepJob,
  QueueModule,
  STEPS_QUEUE,
  workerOptions,
  type QueueBackend,
  type QueueSettings,
} from './index.js';

const faults: string[] = [];
const reportFault = (what: string, error: unknown): void => void faults.push(`${what}: ${String(error)}`);
const job = (stepRunId: string, priority = 0) => ({ stepRunId, dispatchNo: 1, priority });
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `stp_${n}`);

/** A process that takes jobs as the worker does: through Nest. */
async function takeJobs(
  settings: QueueSettings,
  handle: (stepRunId: string, signal: AbortSignal | undefined) => Promise<void>,
  times = { leaseMs: 2000, sweepMs: 1000 },
) {
  @Processor(STEPS_QUEUE, workerOptions({ jobs: 1, ...times, workerName: 'test' }))
  class StepsProcessor extends WorkerHost {
    async process(job: { data: unknown }, _token?: string, signal?: AbortSignal): Promise<void> {
      await handle(decodeStepJob(job.data).stepRunId, signal);
    }
  }
  @Module({ imports: [QueueModule.forRoot(settings)], providers: [StepsProcessor] })
  class Root {}
  const app = await NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
  const intake = QueueModule.intake(app, StepsProcessor, reportFault, () => undefined);
  intake.start();
  return { intake, close: () => app.close() };
}

/** What engine and API rely on, whichever server carries the queue. */
function behavesLikeAQueue(open: () => Promise<{ settings: QueueSettings; dispose: () => Promise<void> }>): void {
  let settings: QueueSettings;
  let dispose: () => Promise<void>;
  let backend: QueueBackend;

  beforeAll(async () => {
    ({ settings, dispose } = await open());
    backend = await createQueueBackend(settings, reportFault);
  });
  afterAll(async () => {
    await backend.close();
    await dispose();
  });

  it('hands pushed jobs to a worker, with an abort signal, and knows which are there', async () => {
    const steps = ids(5);
    await backend.queue.push(steps.map((id) => job(id)));
    const asked = [...steps, 'stp_never'].map((stepRunId) => ({ stepRunId, dispatchNo: 1 }));
    await expect(backend.queue.findMissing(asked)).resolves.toEqual([{ stepRunId: 'stp_never', dispatchNo: 1 }]);
    await expect(backend.queue.findMissing([{ stepRunId: 'stp_0', dispatchNo: 2 }])).resolves.toHaveLength(1);

    const seen: string[] = [];
    const worker = await takeJobs(settings, async (id, signal) => {
      expect(signal).toBeInstanceOf(AbortSignal);
      seen.push(id);
    });
    await waitFor(async () => (await backend.queue.findMissing(asked)).length === asked.length);
    expect(seen.toSorted()).toEqual(steps);
    await worker.close();
  });

  it('keeps nothing of a job that threw, so its id can be used again', async () => {
    let attempts = 0;
    const worker = await takeJobs(settings, async () => {
      attempts += 1;
      throw new Error('a bug in the engine');
    });
    const gone = async () =>
      (await backend.queue.findMissing([{ stepRunId: 'stp_throws', dispatchNo: 1 }])).length === 1;
    await backend.queue.push([job('stp_throws')]);
    await waitFor(async () => attempts === 1 && (await gone()));
    await backend.queue.push([job('stp_throws')]);
    await waitFor(async () => attempts === 2 && (await gone()));
    await worker.close();
  });

  it('takes no job any more once its intake stopped, and ends those that run', async () => {
    const seen: string[] = [];
    let finish: () => void = () => undefined;
    const worker = await takeJobs(
      settings,
      (id) =>
        new Promise((resolve) => {
          seen.push(id);
          finish = resolve;
        }),
    );
    expect(worker.intake.isTaking()).toBe(true);
    await backend.queue.push([job('stp_runs')]);
    await waitFor(() => seen.length === 1);
    await worker.intake.stop();
    expect(worker.intake.isTaking()).toBe(false);
    await backend.queue.push([job('stp_waits')]);
    finish();
    await waitFor(
      async () => (await backend.queue.findMissing([{ stepRunId: 'stp_runs', dispatchNo: 1 }])).length === 1,
    );
    await worker.close();
    expect(seen).toEqual(['stp_runs']);

    const next = await takeJobs(settings, async (id) => void seen.push(id));
    await waitFor(() => seen.length === 2);
    await next.close();
    expect(seen).toEqual(['stp_runs', 'stp_waits']);
  });

  it('loses no job that comes while it stops waiting for one', async () => {
    const seen: string[] = [];
    const worker = await takeJobs(settings, async (id) => void seen.push(id));
    await backend.queue.push([job('stp_first')]);
    await waitFor(() => seen.length === 1);
    await worker.intake.stop();
    await backend.queue.push([job('stp_later')]);
    await worker.close();
    const next = await takeJobs(settings, async (id) => void seen.push(id));
    await waitFor(() => seen.length === 2);
    await next.close();
    // A take that was under way may still win; the engine then gives the job back, because its process drains.
    expect(seen).toEqual(['stp_first', 'stp_later']);
  });

  it('takes a job that is there already only once', async () => {
    const before = await backend.queue.room();
    await backend.queue.push([job('stp_twice'), job('stp_twice')]);
    await backend.queue.push([job('stp_twice')]);
    await expect(backend.queue.room()).resolves.toBe(before - 1);
    const seen: string[] = [];
    const worker = await takeJobs(settings, async (id) => void seen.push(id));
    await waitFor(async () => (await backend.queue.room()) === before);
    await worker.close();
    expect(seen).toEqual(['stp_twice']);
  });

  it('serves the larger priority first, equal ones in order', async () => {
    await backend.queue.push([job('stp_low', -5), job('stp_a'), job('stp_b'), job('stp_high', 7)]);
    const seen: string[] = [];
    const worker = await takeJobs(settings, async (id) => void seen.push(id));
    await waitFor(() => seen.length === 4);
    await worker.close();
    expect(seen).toEqual(['stp_high', 'stp_a', 'stp_b', 'stp_low']);
  });

  it('takes no job whose id or size is not that of ids', async () => {
    await expect(backend.queue.push([job('stp:1')])).rejects.toThrow('cannot be queued');
    await expect(backend.queue.push([job('s'.repeat(3000))])).rejects.toThrow('cannot be queued');
  });

  it('carries cancels, progress and deltas between processes, and survives a listener that throws (C12)', async () => {
    const other = await createQueueBackend(settings, reportFault);
    const heard: unknown[] = [];
    other.wakeups.onCancel(() => {
      throw new Error('a listener with a bug');
    });
    other.wakeups.onCancel((runId) => heard.push(['cancel', runId]));
    other.wakeups.onProgress((runId) => heard.push(['progress', runId]));
    other.wakeups.onCrowded(() => heard.push('crowded'));
    let text = '';
    other.wakeups.onDelta((delta) => (text += delta.text));
    // The subscription is under way: publish until it is heard.
    await waitFor(async () => {
      await backend.wakeups.publishCancel('run_1');
      await backend.wakeups.publishProgress('run_2');
      await backend.wakeups.publishCrowded();
      return ['cancel', 'progress', 'crowded'].every((kind) => heard.some((entry) => [entry].flat()[0] === kind));
    });
    expect(heard).toContainEqual(['cancel', 'run_1']);
    expect(heard).toContainEqual(['progress', 'run_2']);
    expect(faults).toContainEqual('a listener for cancel threw: Error: a listener with a bug');
    const long = '🙂\u0000é'.repeat(3000);
    await waitFor(async () => {
      text = '';
      await backend.wakeups.publishDelta({ runId: 'run_1', stepId: 'answer', item: null, callNo: 1, text: long });
      return waitFor(() => text === long, { timeoutMs: 1000 });
    });
    await other.close();
  });

  it('carries compactions in a queue of their own', async () => {
    const compaction = { compactionId: 'cmp_1', dispatchNo: 1 };
    await expect(backend.queue.findMissingCompactions([compaction])).resolves.toEqual([compaction]);
    const before = await backend.queue.room();
    await backend.queue.pushCompactions([compaction, compaction]);
    await expect(backend.queue.findMissingCompactions([compaction])).resolves.toEqual([]);
    await expect(backend.queue.room()).resolves.toBe(before);
  });

  it('keeps an epoch that all processes see', async () => {
    await expect(backend.epoch.read()).resolves.toBeNull();
    await backend.epoch.write('first');
    await backend.epoch.write('second');
    await expect(backend.epoch.read()).resolves.toBe('second');
  });

  it('says that it is healthy', async () => {
    await expect(backend.health()).resolves.toMatchObject({ ok: true });
  });
}

describe('the queue on Postgres', () => {
  behavesLikeAQueue(async () => {
    const database = await createTestDatabase({ migrated: false });
    return { settings: { kind: 'postgres', url: database.url }, dispose: database.drop };
  });
});

describeRedis('the queue on Redis', () => {
  behavesLikeAQueue(async () => ({
    settings: { kind: 'redis', ...(await testRedis()) },
    dispose: () => Promise.resolve(),
  }));

  it('lets in twice what the workers announced, and its floor when none is there', async () => {
    const backend = await createQueueBackend({ kind: 'redis', ...(await testRedis()), admissionFloor: 3 }, reportFault);
    await expect(backend.queue.room()).resolves.toBe(3);
    await backend.capacity.announce('worker-a', 20);
    await backend.capacity.announce('worker-b', 5);
    await backend.capacity.announce('worker-b', 5);
    await expect(backend.queue.room()).resolves.toBe(50);
    await backend.queue.push(ids(30).map((id) => job(id)));
    await expect(backend.queue.room()).resolves.toBe(20);
    await backend.capacity.withdraw('worker-a');
    await expect(backend.queue.room()).resolves.toBe(0);
    await backend.close();
  });

  it('hands on what a worker took and never claimed, once its lock has run out, and not a lease later', async () => {
    const redis = await testRedis();
    const settings: QueueSettings = { kind: 'redis', ...redis };
    const backend = await createQueueBackend(settings, reportFault);
    const times = { leaseMs: 600_000, sweepMs: 50 };
    const taken: string[] = [];
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const dead = await takeJobs(
      settings,
      async () => {
        taken.push('dead');
        await held;
      },
      times,
    );
    await backend.queue.push([job('stp_taken')]);
    await waitFor(() => taken.length === 1);
    const other = await takeJobs(settings, async () => void taken.push('other'), times);
    const admin = new Redis(redis.url);
    await expect(admin.del(`{${redis.prefix}}:${STEPS_QUEUE}:stp_taken-d1:lock`)).resolves.toBe(1);
    await waitFor(() => taken.length === 2);
    expect(taken).toEqual(['dead', 'other']);
    letGo();
    await admin.quit();
    for (const closing of [dead, other, backend]) await closing.close();
  });

  it('misses its epoch and its jobs after their loss, and reports an orphaned hash as missing (C2, A6)', async () => {
    const redis = await testRedis();
    const backend = await createQueueBackend({ kind: 'redis', ...redis }, reportFault);
    await backend.epoch.write('one');
    await backend.queue.push([job('stp_lost'), job('stp_orphan')]);
    const admin = new Redis(redis.url);
    await admin.zrem(`{${redis.prefix}}:${STEPS_QUEUE}:prioritized`, 'stp_orphan-d1');
    await expect(backend.queue.findMissing([{ stepRunId: 'stp_orphan', dispatchNo: 1 }])).resolves.toHaveLength(1);
    // What FLUSHALL does, to this test's keys only: other files share the server.
    await admin.del(await admin.keys(`{${redis.prefix}}:*`));
    await expect(backend.epoch.read()).resolves.toBeNull();
    await expect(backend.queue.findMissing([{ stepRunId: 'stp_lost', dispatchNo: 1 }])).resolves.toHaveLength(1);
    await backend.queue.push([job('stp_lost')]);
    await expect(backend.queue.findMissing([{ stepRunId: 'stp_lost', dispatchNo: 1 }])).resolves.toEqual([]);
    await admin.quit();
    await backend.close();
  });
});
