import { setTimeout as delay } from 'node:timers/promises';
import type { AppProcess } from './support/app-process.js';
import type { Answer } from './support/deployment.js';
import { allowLocal, clerkScript, expectOrders, order } from './support/pipelines.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';
import { expectUnavailable, orderAllStubbornly } from './support/stubborn-client.js';
import { ToolServer } from './support/tool-server.js';

const ORDERS = 40;
/** A second until silence is suspected, three for the answer (docs/guide/operating.md), and what a busy machine takes. */
const FOUND_OUT_MS = 4_000 + 2_000;
/** `/health/ready` has 2 s, whatever hangs. */
const READY_MS = 2_000 + 1_500;
/** Longer than a lease, so that steps are taken over; the second one longer than the server lets a transaction idle. */
const SILENT_MS = [5_000, 9_000];

type Health = { status: number; ms: number };

async function health(app: AppProcess, path: 'ready' | 'live'): Promise<Health> {
  const began = performance.now();
  const { status } = await fetch(`${app.url}/health/${path}`);
  return { status, ms: performance.now() - began };
}

scenario('a Postgres that falls silent answers 503 problem+json in time, then every run ends', {
  deployment: { workers: 2, compactors: 1, operatorFile: allowLocal },
  run: async ({ deployment, random, tell }) => {
    const { postgres } = deployment;
    const tools = await ToolServer.open(() => random.between(0, 60));
    deployment.script('clerk', clerkScript(200));
    await deployment.apply(order(tools));
    const inputs = Array.from({ length: ORDERS }, (_, n) => n);
    const refused: Answer[] = [];
    const starting = orderAllStubbornly(deployment, inputs, random, refused);
    for (const silentMs of SILENT_MS) {
      await delay(random.between(1_000, 2_500));
      await postgres.pause();
      const first = await deployment.ask('GET', '/v1/runs');
      expectUnavailable([first]);
      expect(first.ms).toBeLessThan(FOUND_OUT_MS);
      const next = await deployment.ask('GET', '/v1/runs');
      expectUnavailable([next]);
      expect(next.ms).toBeLessThan(1_000);
      for (const app of deployment.apps) {
        const ready = await health(app, 'ready');
        expect({ app: app.name, status: ready.status }).toEqual({ app: app.name, status: 503 });
        expect(ready.ms).toBeLessThan(READY_MS);
        // Nothing of the process has stopped: starting it again would not help.
        expect((await health(app, 'live')).status).toBe(200);
      }
      tell(`silent: found out after ${Math.round(first.ms)} ms, the next one after ${Math.round(next.ms)} ms`);
      await delay(silentMs);
      await postgres.resume();
      await Promise.all(deployment.apps.map((app) => app.untilReady()));
    }
    const runIds = await starting;
    tell(`silent twice, ${refused.length} requests refused`);
    expectUnavailable(refused);
    expect(refused.length).toBeGreaterThan(0);
    expectOrders(await deployment.ended(runIds), inputs, tools);
    const [stored] = await deployment.database.sql<{ runs: number }[]>`select count(*)::int as runs from run`;
    expect(stored?.runs).toBe(ORDERS);
    await expectSound(deployment, runIds);
    await tools.close();
  },
});
