import { setTimeout as delay } from 'node:timers/promises';
import {
  allowLocal,
  clerkScript,
  expectOrders,
  expectSessions,
  order,
  session,
  sessionScript,
} from './support/pipelines.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';
import { ToolServer } from './support/tool-server.js';

const ORDERS = 60;
const SESSIONS = 4;
const DEATHS = 8;

scenario('kill -9 of random workers and compactors loses no run and repeats no keyed effect', {
  deployment: { workers: 2, compactors: 1, operatorFile: allowLocal },
  run: async ({ deployment, random, tell }) => {
    const [orders, sessions] = [await ToolServer.open(() => random.between(0, 60)), await ToolServer.open(() => 30)];
    deployment.script('clerk', clerkScript(60));
    deployment.script('session', sessionScript(150));
    await deployment.apply(order(orders));
    await deployment.apply(session(sessions));
    const sessionIds = [];
    for (let n = 0; n < SESSIONS; n += 1) sessionIds.push(await deployment.start('session', { n }));
    const inputs = Array.from({ length: ORDERS }, (_, n) => n);
    const starting = (async () => {
      const ids = [];
      for (const n of inputs) {
        ids.push(await deployment.start('order', { n }));
        await delay(random.between(0, 150));
      }
      return ids;
    })();
    const victims = [...deployment.workers, ...deployment.compactors];
    for (let deaths = 0; deaths < DEATHS; deaths += 1) {
      await delay(random.between(100, 2500));
      const victim = random.pick(victims.filter((app) => app.isRunning));
      await victim.kill();
      await victim.launch();
    }
    const orderIds = await starting;
    tell('all killed');
    const ended = await deployment.ended([...orderIds, ...sessionIds]);
    expectOrders(ended.slice(0, ORDERS), inputs, orders);
    expectSessions(ended.slice(ORDERS), sessions);
    const { sql } = deployment.database;
    const [compacted] = await sql<
      { count: number }[]
    >`select count(*)::int as count from event where type = 'ContextCompacted'`;
    const [taken] = await sql<{ count: number }[]>`select count(*)::int as count from step_run where starts > 1`;
    tell(
      `${compacted?.count} compactions, ${taken?.count} steps taken over, ${orders.requests.length} requests for ${orders.effects().length} effects`,
    );
    expect(compacted?.count).toBeGreaterThan(0);
    await expectSound(deployment, [...orderIds, ...sessionIds]);
    await Promise.all([orders.close(), sessions.close()]);
  },
});
