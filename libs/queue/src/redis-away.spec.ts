import { describeRedis, testRedis, waitFor, Wire } from '../../../test/support/index.js';
import { createQueueBackend, type QueueBackend } from './index.js';

const step = { stepRunId: 'stp_1', dispatchNo: 1, priority: 0 };

async function timed(work: () => Promise<unknown>): Promise<{ ms: number; code: unknown }> {
  const start = performance.now();
  const code = await work().then(
    () => null,
    (error: { code?: unknown }) => error.code,
  );
  return { ms: performance.now() - start, code };
}

// Rows C5, G2: whoever accepts a run never waits for Redis, and a process ends without it.
describeRedis('while Redis is away', () => {
  let wire: Wire;
  let backend: QueueBackend;
  const faults: string[] = [];

  const open = async (prefix: string): Promise<QueueBackend> =>
    createQueueBackend(
      { kind: 'redis', url: `redis://127.0.0.1:${wire.port}`, prefix, commandTimeoutMs: 300 },
      (what) => faults.push(what),
    );

  beforeEach(async () => {
    const redis = await testRedis();
    wire = await Wire.to(redis.url);
    backend = await open(redis.prefix);
  });
  afterEach(async () => {
    await backend.close();
    await wire.cut();
  });

  it('every command fails at once, and all goes on when it is back', async () => {
    await wire.cut();
    await waitFor(async () => (await timed(() => backend.queue.push([step]))).code === 'queue_unavailable');
    const attempts = [
      () => backend.queue.push([step]),
      () => backend.queue.room(),
      () => backend.queue.findMissing([step]),
      () => backend.epoch.read(),
    ];
    for (const attempt of attempts) {
      const { ms, code } = await timed(attempt);
      expect(code).toBe('queue_unavailable');
      expect(ms).toBeLessThan(200);
    }
    expect((await timed(() => backend.wakeups.publishCancel('run_1'))).code).toBeNull();
    expect(faults).toContain('a wake-up (cancel) was lost');
    await expect(backend.health()).resolves.toMatchObject({ ok: false, findings: [{ id: 'redis' }] });

    await wire.restore();
    await waitFor(async () => (await backend.health()).ok);
    await backend.queue.push([step]);
    await expect(backend.queue.findMissing([step])).resolves.toEqual([]);
  });

  it('a process starts all the same, and reaches it later', async () => {
    await wire.cut();
    const late = await open('late');
    const heard: string[] = [];
    late.wakeups.onCancel((runId) => heard.push(runId));
    expect((await timed(() => late.queue.push([step]))).code).toBe('queue_unavailable');
    await wire.restore();
    await waitFor(async () => (await late.health()).ok);
    await late.queue.push([step]);
    await waitFor(async () => {
      await late.wakeups.publishCancel('run_2');
      return heard.includes('run_2');
    });
    await late.close();
  });

  it('one that accepts but does not answer costs one time-out, then nothing', async () => {
    wire.freeze();
    const first = await timed(() => backend.queue.push([step]));
    expect(first).toMatchObject({ code: 'queue_unavailable' });
    expect(first.ms).toBeLessThan(1000);
    const next = await timed(() => backend.queue.push([step]));
    expect(next).toMatchObject({ code: 'queue_unavailable' });
    expect(next.ms).toBeLessThan(100);
    wire.thaw();
    await waitFor(async () => (await backend.health()).ok);
    await backend.queue.push([step]);
  });

  it('closing is bounded', async () => {
    wire.freeze();
    expect((await timed(() => backend.close())).ms).toBeLessThan(1000);
  });
});
