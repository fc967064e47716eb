import { setTimeout as delay } from 'node:timers/promises';
import { allowLocal, clerkScript, expectOrders, order } from './support/pipelines.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';
import { ToolServer } from './support/tool-server.js';

const BEFORE = 10;
const DURING = 40;
const AWAY_MS = 30_000;

const medianOf = (list: readonly number[]): number =>
  Math.round(list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0);

scenario('runs are accepted within 200 ms while Redis is down for 30 s, and start on its return', {
  deployment: { workers: 2, operatorFile: allowLocal },
  run: async ({ deployment, random, tell }) => {
    const tools = await ToolServer.open(() => random.between(0, 60));
    deployment.script('clerk', clerkScript(100));
    await deployment.apply(order(tools));
    const inputs = Array.from({ length: BEFORE + DURING }, (_, n) => n);
    const runIds: string[] = [];
    const accept = async (n: number): Promise<number> => {
      const answer = await deployment.ask('POST', '/v1/pipelines/order/runs', { inputs: { n } });
      expect(answer).toMatchObject({ status: 202 });
      runIds.push((answer.body as { id: string }).id);
      return answer.ms;
    };
    const usual: number[] = [];
    for (const n of inputs.slice(0, BEFORE)) usual.push(await accept(n));
    await delay(random.between(0, 500));
    await deployment.redis.kill();
    const away = performance.now();
    const latencies: number[] = [];
    for (const n of inputs.slice(BEFORE)) {
      latencies.push(await accept(n));
      await delay(Math.max(0, away + ((latencies.length + 1) * AWAY_MS) / DURING - performance.now()));
    }
    await deployment.redis.start();
    const [with_, without] = [medianOf(usual), medianOf(latencies)];
    const worst = Math.max(...latencies);
    tell(`accepted in ${without} ms without Redis (median; worst ${worst.toFixed(0)}), ${with_} ms with it`);
    // A machine that is busy with other things may take longer, but then it does so with Redis too.
    expect(without).toBeLessThan(Math.max(200, 2 * with_));
    const runs = await deployment.ended(runIds, 120_000);
    expectOrders(runs, inputs, tools);
    await expectSound(deployment, runIds);
    await tools.close();
  },
});
