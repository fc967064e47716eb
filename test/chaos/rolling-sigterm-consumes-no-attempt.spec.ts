import { setTimeout as delay } from 'node:timers/promises';
import { allowLocal, clerkScript, expectOrders, order } from './support/pipelines.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';
import { ToolServer } from './support/tool-server.js';

const ORDERS = 80;
const ROUNDS = 2;

scenario('a rolling SIGTERM ends every worker in order and consumes no attempt', {
  // The drain time is shorter than the long model calls, so that some are given back in the middle; and no lease runs out.
  deployment: {
    workers: 2,
    compactors: 1,
    operatorFile: allowLocal,
    environment: { WEIR_DRAIN_S: '1', WEIR_LEASE_S: '30' },
  },
  run: async ({ deployment, random, tell }) => {
    const tools = await ToolServer.open(() => random.between(0, 60));
    deployment.script('clerk', clerkScript(200));
    deployment.script('thinker', { replies: [{ text: 'thought', delay_ms: 4_000 }] });
    await deployment.apply(order(tools));
    await deployment.apply({
      name: 'think',
      agents: { thinker: { model: 'scripted:thinker', system_prompt: 'You think.' } },
      steps: [{ id: 'think', agent: 'thinker', task: 'Think for long.' }],
      output: '${steps.think.output}',
    });
    const inputs = Array.from({ length: ORDERS }, (_, n) => n);
    const thoughtIds = await Promise.all([1, 2, 3, 4].map(() => deployment.start('think', {})));
    const starting = (async () => {
      const ids = [];
      for (const n of inputs) {
        ids.push(await deployment.start('order', { n }));
        await delay(random.between(0, 200));
      }
      return ids;
    })();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const app of [...deployment.workers, ...deployment.compactors]) {
        await delay(random.between(0, 700));
        // Fails unless it ends with exit code 0.
        await app.terminate();
        await app.start();
      }
    }
    const orderIds = await starting;
    tell('all terminated');
    const ended = await deployment.ended([...orderIds, ...thoughtIds]);
    expectOrders(ended.slice(0, ORDERS), inputs, tools);
    expect(ended.slice(ORDERS).map(({ output }) => output)).toEqual(thoughtIds.map(() => 'thought'));
    const { sql } = deployment.database;
    const consumed =
      await sql`select run_id, step_id, item, attempt, stalls from step_run where attempt > 1 or stalls > 0`;
    expect([...consumed]).toEqual([]);
    const [given] = await sql<
      { count: number }[]
    >`select count(*)::int as count from event where type = 'StepReleased'`;
    tell(`${given?.count} steps given back`);
    expect(given?.count).toBeGreaterThan(0);
    await expectSound(deployment, [...orderIds, ...thoughtIds]);
    await tools.close();
  },
});
