import { Redis } from 'ioredis';
import { describeRedis, waitFor } from '../support/index.js';
import { Installation } from '../support/installation.js';
import { ownRedis } from '../support/own-redis.js';

// Row C8.
describeRedis('connections to Redis', () => {
  it('are as many after many runs as after the first', async () => {
    const redis = await ownRedis();
    const admin = new Redis(redis.url);
    const installation = await Installation.open({ REDIS_URL: redis.url });
    await installation.apply('doubling', [{ id: 'double', transform: { n: '${inputs.n * 2}' } }]);
    const clients = async (): Promise<number> =>
      String(await admin.client('LIST'))
        .trim()
        .split('\n').length;
    await installation.worker();
    const run = async (n: number) => installation.ended(await installation.start('doubling', n));
    await run(0);
    const before = await clients();
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(Array.from({ length: 25 }, (_, n) => run(n)));
      expect(await clients()).toBeLessThanOrEqual(before);
    }
    await installation.close();
    await waitFor(async () => (await clients()) === 1);
    admin.disconnect();
    await redis.stop();
  });
});
