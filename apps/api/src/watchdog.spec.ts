import { describeRedis, testRedis, waitFor } from '../../../test/support/index.js';
import { Installation } from '../../../test/support/installation.js';
import { askLive, untilStalled } from '../../../test/support/liveness.js';

describeRedis('an api process that has stopped by itself', () => {
  let installation: Installation;
  /** Undoes what the test broke, so that the process can end. */
  let mend = (): void => undefined;

  beforeEach(async () => {
    const redis = await testRedis();
    installation = await Installation.open({
      ...{ REDIS_URL: redis.url, WEIR_QUEUE_PREFIX: redis.prefix, WEIR_STALL_S: '1' },
    });
  });
  afterEach(async () => {
    mend();
    await installation.close();
  });

  it('is not live when a turn of a loop never ends, says so as a problem, and answers all else', async () => {
    const { runtime, url } = await installation.api();
    // Its first turns may take more than a second on a busy machine.
    await waitFor(async () => (await askLive(url)).status === 200);
    expect((await askLive(url)).body).toEqual({ status: 'live' });
    const { runs } = runtime.engine;
    const findExpiredLeases = runs.findExpiredLeases.bind(runs);
    let answer = (): void => undefined;
    runs.findExpiredLeases = () => new Promise((resolve) => (answer = () => resolve([])));
    mend = () => {
      runs.findExpiredLeases = findExpiredLeases;
      answer();
    };
    const { body } = await untilStalled(url);
    expect(body).toMatchObject({ status: 503, code: 'process_stalled', retryable: true, type: expect.any(String) });
    expect(body.detail).toMatch(/^the loop sweep has not turned for \d+ s\.$/);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^weir_process_stalls\{.*\} 1$/m);
    mend();
    await waitFor(async () => (await askLive(url)).status === 200);
  });
});
