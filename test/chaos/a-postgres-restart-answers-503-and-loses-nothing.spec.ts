import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './support/deployment.js';
import { allowLocal, clerkScript, expectOrders, order } from './support/pipelines.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';
import { expectUnavailable, orderAllStubbornly } from './support/stubborn-client.js';
import { ToolServer } from './support/tool-server.js';

const ORDERS = 60;
const AWAY_MS = 4_000;

scenario('a restart of Postgres answers 503 problem+json, then every run ends', {
  deployment: { workers: 2, operatorFile: allowLocal, durable: true },
  run: async ({ deployment, random, tell }) => {
    const { postgres } = deployment;
    const tools = await ToolServer.open(() => random.between(0, 60));
    deployment.script('clerk', clerkScript(100));
    await deployment.apply(order(tools));
    const inputs = Array.from({ length: ORDERS }, (_, n) => n);
    const refused: Answer[] = [];
    const starting = orderAllStubbornly(deployment, inputs, random, refused);
    for (const end of ['stop', 'kill'] as const) {
      await delay(random.between(1_000, 3_000));
      await postgres[end]();
      const read = await deployment.ask('GET', '/v1/runs');
      expect(read).toMatchObject({ status: 503, body: { status: 503, code: 'database_unavailable' } });
      expect(read.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      await delay(AWAY_MS);
      await postgres.start();
    }
    const runIds = await starting;
    tell(`restarted twice, ${refused.length} requests refused`);
    expectUnavailable(refused);
    expect(refused.length).toBeGreaterThan(0);
    const runs = await deployment.ended(runIds);
    expectOrders(runs, inputs, tools);
    expect(new Set(runIds).size).toBe(ORDERS);
    const [stored] = await deployment.database.sql<{ runs: number }[]>`select count(*)::int as runs from run`;
    expect(stored?.runs).toBe(ORDERS);
    tell(`${tools.requests.length} requests for ${tools.effects().length} effects`);
    await expectSound(deployment, runIds);
    await tools.close();
  },
});
