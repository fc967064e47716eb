import 'reflect-metadata';
import { Redis } from 'ioredis';
import { cancelRun } from '#libs/engine';
import { describeRedis, testRedis, waitFor, Wire } from '../../../test/support/index.js';
import { Installation, PROJECT } from '../../../test/support/installation.js';

const double = [{ id: 'double', transform: { n: '${inputs.n * 2}' } }];

function runsPipelines(open: () => Promise<Record<string, string>>): void {
  let installation: Installation;
  beforeEach(async () => {
    installation = await Installation.open(await open());
  });
  afterEach(() => installation.close());

  it('two workers share runs and start no step twice', async () => {
    await installation.apply('doubling', double);
    await Promise.all([installation.worker(), installation.worker()]);
    const runIds = await Promise.all(Array.from({ length: 50 }, (_, n) => installation.start('doubling', n)));
    const runs = await Promise.all(runIds.map((runId) => installation.ended(runId)));
    expect(new Set(runs.map((run) => run.status))).toEqual(new Set(['succeeded']));
    const steps = (
      await Promise.all(runIds.map((runId) => installation.accepting.engine.runs.stepRunsOf(PROJECT, runId)))
    ).flat();
    expect(steps.map((step) => step.starts)).toEqual(steps.map(() => 1));
  });

  it('a worker that ends releases its step at once, and another goes on with it: not an attempt', async () => {
    const replies = [[{ touch_file: 'asked', hang: true }, { text: 'done' }]];
    await installation.script('patient', { replies });
    await installation.apply('patient', [{ id: 'answer', agent: 'a', task: 'Answer.' }]);
    const first = await installation.worker();
    const runId = await installation.start('patient', 1);
    const eventsOf = (streamId: string) => installation.accepting.engine.log.read({ projectId: PROJECT, streamId });
    // Before its call is under way the step would be handed over at its turn boundary.
    await waitFor(() => installation.isTouched('asked'));
    await installation.script('patient', { replies: [{ text: 'done' }] });
    await first.end();
    await installation.worker();
    await expect(installation.ended(runId)).resolves.toMatchObject({ status: 'succeeded' });
    const [step] = await installation.accepting.engine.runs.stepRunsOf(PROJECT, runId);
    expect(step).toMatchObject({ attempt: 1, releases: 1, stalls: 0 });
    // The call had to be cut off.
    const released = (await eventsOf(runId)).filter(({ type }) => type === 'StepReleased');
    expect(released.map(({ data }) => data)).toEqual([{ reason: 'shutdown' }]);
  });

  it('a cancel reaches a model call that hangs within a second', async () => {
    await installation.script('stuck', { replies: [{ hang: true }] });
    await installation.apply('stuck', [{ id: 'answer', agent: 'a', task: 'Answer.' }]);
    const { runtime } = await installation.worker();
    const runId = await installation.start('stuck', 1);
    await waitFor(() => runtime.engine.held.all().length === 1);
    const [held] = runtime.engine.held.all();
    const aborted = new Promise<number>((resolve) =>
      held?.signal.addEventListener('abort', () => resolve(performance.now())),
    );
    const asked = performance.now();
    await cancelRun(installation.accepting.engine, { projectId: PROJECT, runId, reason: null });
    expect((await aborted) - asked).toBeLessThan(1000);
    await expect(installation.ended(runId)).resolves.toMatchObject({ status: 'cancelled' });
  });
}

describeRedis('workers on Redis', () => {
  let redis: { url: string; prefix: string };
  const open = async (): Promise<Record<string, string>> => {
    redis = await testRedis();
    return { REDIS_URL: redis.url, WEIR_QUEUE_PREFIX: redis.prefix };
  };
  runsPipelines(open);

  it('end all runs although Redis loses everything while they are under way', async () => {
    const installation = await Installation.open(await open());
    await installation.apply('chain', [
      ...double,
      { id: 'again', depends_on: ['double'], transform: { n: '${steps.double.output.n * 2}' } },
    ]);
    await Promise.all([installation.worker(), installation.worker()]);
    const admin = new Redis(redis.url);
    const starting = Promise.all(Array.from({ length: 50 }, (_, n) => installation.start('chain', n)));
    for (let loss = 0; loss < 3; loss += 1) {
      const keys = await admin.keys(`{${redis.prefix}}:*`);
      if (keys.length > 0) await admin.del(keys);
    }
    const runs = await Promise.all((await starting).map((runId) => installation.ended(runId)));
    expect(runs.map((run) => run.output)).toEqual(runs.map((_, n) => ({ n: n * 4 })));
    await admin.quit();
    await installation.close();
  });

  it('leave nothing in Redis of a step that waits: no delayed, active or deduplicated job (A8, B9)', async () => {
    const installation = await Installation.open(await open());
    const retry = { max_attempts: 2, backoff: '1h', max_backoff: '1h' };
    await installation.script('again', { replies: [{ failure: { class: 'server_error' } }] });
    await installation.apply('again', [{ id: 'answer', agent: 'a', task: 'Answer.', retry }]);
    await installation.worker();
    const runId = await installation.start('again', 1);
    const { runs } = installation.accepting.engine;
    await waitFor(async () => (await runs.getRun(PROJECT, runId))?.status === 'waiting');
    const admin = new Redis(redis.url);
    const left = async (): Promise<string[]> =>
      (await admin.keys(`{${redis.prefix}}:*`)).filter((key) => /:(delayed|active|de)(:|$)|stp_/.test(key));
    await waitFor(async () => (await left()).length === 0);
    expect(await runs.stepRunsOf(PROJECT, runId)).toMatchObject([{ status: 'waiting', reason: 'timer', attempt: 2 }]);
    await admin.quit();
    await installation.close();
  });

  it('a cancel does not wait for the heartbeat of the step that it stops (H5)', async () => {
    const heartbeat = { WEIR_HEARTBEAT_S: '60', WEIR_LEASE_S: '200' };
    const installation = await Installation.open({ ...(await open()), ...heartbeat });
    await installation.script('stuck', { replies: [{ hang: true }] });
    await installation.apply('stuck', [{ id: 'answer', agent: 'a', task: 'Answer.' }]);
    const { runtime } = await installation.worker();
    const runId = await installation.start('stuck', 1);
    await waitFor(() => runtime.engine.held.all().length === 1);
    await cancelRun(installation.accepting.engine, { projectId: PROJECT, runId, reason: null });
    // `ended` gives up long before the next heartbeat.
    await expect(installation.ended(runId)).resolves.toMatchObject({ status: 'cancelled' });
    await installation.close();
  });

  // Row C5, H2: nobody waits for Redis. What it would have carried arrives by the polls behind it.
  it('runs are accepted and cancels arrive while Redis is away, and everything starts when it is back', async () => {
    const { url, prefix } = await testRedis();
    const wire = await Wire.to(url);
    const installation = await Installation.open({
      REDIS_URL: `redis://127.0.0.1:${wire.port}`,
      WEIR_QUEUE_PREFIX: prefix,
    });
    await installation.script('stuck', { replies: [{ hang: true }] });
    await installation.apply('stuck', [{ id: 'answer', agent: 'a', task: 'Answer.' }]);
    await installation.apply('doubling', double);
    const { runtime } = await installation.worker();
    const stuck = await installation.start('stuck', 1);
    await waitFor(() => runtime.engine.held.all().length === 1);
    await wire.cut();
    await waitFor(async () => !(await installation.accepting.queue.health()).ok);

    const asked = performance.now();
    const accepted = await Promise.all([1, 2, 3].map((n) => installation.start('doubling', n)));
    expect(performance.now() - asked).toBeLessThan(1000);
    await cancelRun(installation.accepting.engine, { projectId: PROJECT, runId: stuck, reason: null });
    await expect(installation.ended(stuck)).resolves.toMatchObject({ status: 'cancelled' });
    expect(performance.now() - asked).toBeLessThan(4000);

    await wire.restore();
    for (const runId of accepted)
      await expect(installation.ended(runId)).resolves.toMatchObject({ status: 'succeeded' });
    await installation.close();
    await wire.cut();
  });
});

describe('workers on the Postgres queue', () => {
  runsPipelines(async () => ({ WEIR_QUEUE_BACKEND: 'postgres' }));
});
