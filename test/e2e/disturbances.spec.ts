import { Redis } from 'ioredis';
import { allowLocal, clerkScript, expectOrders, order } from '../chaos/support/pipelines.js';
import { Deployment } from '../chaos/support/deployment.js';
import { expectSound } from '../chaos/support/soundness.js';
import { ToolServer } from '../chaos/support/tool-server.js';
import { describeRedis, waitFor } from '../support/index.js';

const RUNS = 24;

/** The short part of `npm run test:chaos`. */
describeRedis('processes on Redis', () => {
  it('lose no run and repeat no keyed effect over a FLUSHALL, a SIGTERM and a kill -9 in a row', async () => {
    const tools = await ToolServer.open(() => 20);
    const deployment = await Deployment.open({
      workers: 2,
      operatorFile: allowLocal,
      environment: { WEIR_DRAIN_S: '1' },
    });
    const { workers, database } = deployment;
    deployment.script('clerk', clerkScript(50));
    await deployment.apply(order(tools));
    const redis = new Redis(deployment.redis.url);
    const inputs = Array.from({ length: RUNS }, (_, n) => n);
    const runIds = await Promise.all(inputs.map((n) => deployment.start('order', { n })));
    /** Each disturbance comes while work is under way, and behind the effects of the one before. */
    const untilEffects = (count: number) =>
      waitFor(() => tools.requests.length >= count, { timeoutMs: 60_000, what: `${count} effects` });
    await untilEffects(5);
    await redis.flushall();
    await untilEffects(30);
    // Fails unless it ends with exit code 0.
    await workers[0]?.terminate();
    await untilEffects(60);
    await workers[1]?.kill();
    await workers[0]?.launch();
    const runs = await deployment.ended(runIds);
    expectOrders(runs, inputs, tools);
    expect([...(await database.sql`select run_id, step_id, attempt from step_run where attempt > 1`)]).toEqual([]);
    await expectSound(deployment, runIds);
    await redis.quit();
    await tools.close();
    await deployment.close();
  }, 300_000);
});
