import { describeRedis, testRedis } from '../../support/index.js';
import { Installation } from '../../support/installation.js';

const ITEMS = 120;

describeRedis('more runnable steps than the queue takes', () => {
  it('follow as jobs leave the queue, not when the relay looks by itself', async () => {
    const { url, prefix } = await testRedis();
    const seldom = { WEIR_RELAY_S: '60', WEIR_SWEEP_S: '60', WEIR_LEASE_S: '120', WEIR_HEARTBEAT_S: '60' };
    const installation = await Installation.open({ REDIS_URL: url, WEIR_QUEUE_PREFIX: prefix, ...seldom });
    try {
      await installation.applyDocument({
        name: 'map',
        inputs: { list: { type: 'array' } },
        steps: [
          {
            id: 'each',
            for_each: '${inputs.list}',
            max_parallel: ITEMS,
            do: { steps: [{ id: 'double', transform: '${item * 2}' }] },
          },
        ],
        output: '${steps.each.output}',
      });
      await installation.worker();
      const list = Array.from({ length: ITEMS }, (_, n) => n);
      const run = await installation.ended(await installation.startWith('map', { list }));
      expect(run).toMatchObject({ status: 'succeeded', output: list.map((n) => n * 2) });
    } finally {
      await installation.close();
    }
  }, 120_000);
});
