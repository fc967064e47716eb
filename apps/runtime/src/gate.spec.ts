import { Redis } from 'ioredis';
import { createLogger, createShutdown } from '#libs/platform';
import { createQueueBackend } from '#libs/queue';
import { describeRedis, waitFor } from '../../../test/support/index.js';
import { ownRedis } from '../../../test/support/own-redis.js';
import { openGate } from './gate.js';

const logger = createLogger({ name: 'test', level: 'silent' });

describeRedis('the gate before the first job', () => {
  // Row C1. A server of its own, because the policy is a setting of the whole server.
  it('stays shut while Redis may evict keys, says why, and opens by itself when that is mended', async () => {
    const server = await ownRedis();
    const admin = new Redis(server.url);
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const queue = await createQueueBackend({ kind: 'redis', url: server.url, prefix: 'gate' }, () => undefined);
    let openings = 0;
    const gate = openGate({
      lookAround: async () => (await queue.health()).findings,
      ...{ logger, shutdown: createShutdown(logger) },
      onOpen: () => (openings += 1),
    });
    const reason = 'Redis may evict keys (maxmemory-policy allkeys-lru)';
    await waitFor(() => {
      const state = gate.state();
      return !state.open && state.detail.startsWith(reason);
    });
    expect(openings).toBe(0);
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    await waitFor(() => gate.state().open);
    expect(openings).toBe(1);
    gate.close('shutting down');
    expect(gate.state()).toEqual({ open: false, detail: 'shutting down' });
    await admin.quit();
    await queue.close();
    await server.stop();
  });
});
