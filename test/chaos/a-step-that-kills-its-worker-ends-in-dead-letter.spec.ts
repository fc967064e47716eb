import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepAlive } from './support/keep-alive.js';
import { allowLocal, clerkScript, expectOrders, order } from './support/pipelines.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';
import { ToolServer } from './support/tool-server.js';

const ORDERS = 30;
/** A tool that takes its whole process down, as the kernel does with one that is out of memory. */
const poison = `export default {
  name: 'poison', input: { type: 'object' }, effect: 'idempotent',
  run: () => process.kill(process.pid, 'SIGKILL'),
};\n`;

const plugins = mkdtempSync(join(tmpdir(), 'weir-chaos-plugin-'));
afterAll(() => rmSync(plugins, { recursive: true, force: true }));

scenario('a step that kills its worker ends in dead_letter after three, and others go on', {
  deployment: async () => {
    writeFileSync(join(plugins, 'poison.mjs'), poison);
    return { workers: 2, operatorFile: `${allowLocal}plugins: [${join(plugins, 'poison.mjs')}]\n` };
  },
  run: async ({ deployment, random, tell }) => {
    const tools = await ToolServer.open(() => random.between(0, 60));
    deployment.script('clerk', clerkScript(60));
    await deployment.apply(order(tools));
    await deployment.apply({
      name: 'poisoned',
      tools: { poison: { kind: 'plugin' } },
      steps: [
        { id: 'bad', tool: 'poison', args: {}, retry: { max_attempts: 5 } },
        { id: 'good', transform: { said: 'fine' } },
      ],
    });
    const supervisor = keepAlive(deployment.workers);
    const inputs = Array.from({ length: ORDERS }, (_, n) => n);
    const poisoned = await deployment.start('poisoned', {});
    const orderIds = await Promise.all(inputs.map((n) => deployment.start('order', { n })));
    const [bad, ...orders] = await deployment.ended([poisoned, ...orderIds]);
    await supervisor.stop();
    tell(`${supervisor.deaths()} workers died`);
    expect(supervisor.deaths()).toBe(3);
    expect(bad).toMatchObject({ status: 'dead_letter' });
    expectOrders(orders, inputs, tools);
    const steps = await deployment.database.sql`
      select step_id, status, starts, attempt from step_run where run_id = ${poisoned} order by step_id`;
    expect([...steps]).toEqual([
      { step_id: 'bad', status: 'dead_letter', starts: 3, attempt: 1 },
      { step_id: 'good', status: 'succeeded', starts: 1, attempt: 1 },
    ]);
    const explained = await deployment.ask('GET', `/v1/runs/${poisoned}`);
    expect(explained.body).toMatchObject({
      status: 'dead_letter',
      allowed_actions: expect.arrayContaining(['retry']) as unknown,
    });
    await expectSound(deployment, [poisoned, ...orderIds]);
    await tools.close();
  },
});
