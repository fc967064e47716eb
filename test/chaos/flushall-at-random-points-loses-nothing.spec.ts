import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { allowLocal, clerkScript, expectOrders, order } from './support/pipelines.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';
import { ToolServer } from './support/tool-server.js';

const RUNS = 200;
const FLUSHES = 12;

scenario('FLUSHALL at random points over 200 runs loses none and repeats no keyed effect', {
  deployment: { workers: 2, operatorFile: allowLocal },
  run: async ({ deployment, random, tell }) => {
    const tools = await ToolServer.open(() => random.between(0, 20));
    deployment.script('clerk', clerkScript(20));
    await deployment.apply(order(tools));
    const redis = new Redis(deployment.redis.url);
    const inputs = Array.from({ length: RUNS }, (_, n) => n);
    const runIds: string[] = [];
    const flushAt = new Set(Array.from({ length: FLUSHES }, () => random.between(1, RUNS - 1)));
    for (const n of inputs) {
      runIds.push(await deployment.start('order', { n }));
      if (!flushAt.has(n)) continue;
      await delay(random.between(0, 300));
      await redis.flushall();
    }
    for (let more = 0; more < FLUSHES; more += 1) {
      await delay(random.between(50, 1500));
      await redis.flushall();
    }
    tell('all flushed');
    const runs = await deployment.ended(runIds);
    tell('all ended');
    expectOrders(runs, inputs, tools);
    tell(`${tools.requests.length} requests for ${tools.effects().length} effects`);
    await expectSound(deployment, runIds);
    await redis.quit();
    await tools.close();
  },
});
