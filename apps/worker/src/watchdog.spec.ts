import 'reflect-metadata';
import { Worker } from 'bullmq';
import { describeRedis, testRedis, waitFor } from '../../../test/support/index.js';
import { Installation } from '../../../test/support/installation.js';
import { askLive, untilStalled } from '../../../test/support/liveness.js';
import { workerApp } from './worker-app.js';

const double = [{ id: 'double', transform: { n: '${inputs.n * 2}' } }];
/** No other loop has this pause. */
const HEARTBEAT_MS = 2437;

describeRedis('a worker that has stopped by itself', () => {
  let installation: Installation;
  /** Undoes what a test broke, so that the worker can end. */
  let mend = (): void => undefined;

  beforeEach(async () => {
    const redis = await testRedis();
    installation = await Installation.open({
      ...{ REDIS_URL: redis.url, WEIR_QUEUE_PREFIX: redis.prefix },
      ...{ WEIR_STALL_S: '1', WEIR_LEASE_S: '6', WEIR_HEARTBEAT_S: String(HEARTBEAT_MS / 1000) },
    });
    await installation.apply('doubling', double);
  });
  afterEach(async () => {
    mend();
    await installation.close();
  });

  it('is not live when a turn of a loop never ends', async () => {
    const { runtime, healthUrl } = await installation.worker();
    expect(await askLive(healthUrl)).toEqual({ status: 200, body: { status: 'live' } });
    const read = runtime.engine.epoch.read.bind(runtime.engine.epoch);
    let answer = (): void => undefined;
    runtime.engine.epoch.read = () => new Promise((resolve) => (answer = () => resolve(null)));
    mend = () => {
      runtime.engine.epoch.read = read;
      answer();
    };
    const { body } = await untilStalled(healthUrl);
    expect(body).toEqual({
      status: 'stalled',
      stalls: [expect.stringMatching(/^the loop epoch has not turned for \d+ s$/)],
    });
    expect(await (await fetch(`${healthUrl}/metrics`)).text()).toMatch(/^weir_process_stalls\{.*\} 1$/m);
    mend();
    await waitFor(async () => (await askLive(healthUrl)).status === 200);
  });

  it('is not live when the timer of its heartbeat is lost and all else goes on (G7)', async () => {
    const { healthUrl } = await installation.worker();
    const real = globalThis.setTimeout;
    const losing = (run: () => void, ms?: number, ...rest: unknown[]): unknown =>
      ms === HEARTBEAT_MS ? real(() => undefined, 0) : Reflect.apply(real, globalThis, [run, ms, ...rest]);
    Reflect.set(globalThis, 'setTimeout', losing);
    mend = () => {
      globalThis.setTimeout = real;
    };
    const { body } = await untilStalled(healthUrl);
    expect(body.stalls).toEqual([expect.stringContaining('the loop heartbeat')]);
  });

  it('makes a consumer anew that was closed behind its back (C2)', async () => {
    const { context, healthUrl } = await installation.worker();
    const closed = context.get(workerApp.processor).worker;
    await closed.close();
    const runId = await installation.start('doubling', 2);
    expect(await installation.ended(runId)).toMatchObject({ status: 'succeeded', output: { n: 4 } });
    expect(context.get(workerApp.processor).worker).not.toBe(closed);
    expect((await askLive(healthUrl)).status).toBe(200);
  });

  it('is not live when a consumer that was made anew takes nothing either', async () => {
    const { context, healthUrl } = await installation.worker();
    const run = Object.getOwnPropertyDescriptor(Worker.prototype, 'run');
    let asked = 0;
    Worker.prototype.run = () => {
      asked += 1;
      return new Promise(() => undefined);
    };
    mend = () => {
      Object.defineProperty(Worker.prototype, 'run', run ?? {});
    };
    await context.get(workerApp.processor).worker.close();
    await installation.start('doubling', 2);
    const { body } = await untilStalled(healthUrl);
    expect(body.stalls).toEqual([expect.stringContaining('the consumer takes no jobs')]);
    expect(asked).toBe(1);
  });
});
