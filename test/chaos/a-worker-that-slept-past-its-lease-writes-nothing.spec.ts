import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../support/index.js';
import { allowLocal, clerkScript, expectOrders, order } from './support/pipelines.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';
import { ToolServer } from './support/tool-server.js';

const ORDERS = 50;
const SLEEPS = 3;

scenario('a worker that slept past its lease (SIGSTOP, SIGCONT) writes nothing twice', {
  deployment: { workers: 2, operatorFile: allowLocal },
  run: async ({ deployment, random, tell }) => {
    const { sql } = deployment.database;
    const starts = async (runId: string): Promise<number> => {
      const [row] = await sql<{ starts: number }[]>`select starts from step_run where run_id = ${runId}`;
      return row?.starts ?? 0;
    };
    deployment.script('sleeper', {
      replies: [{ text: 'awake', touch_file: 'asked', wait_for_file: 'go' }],
    });
    await deployment.apply({
      name: 'sleep',
      agents: { sleeper: { model: 'scripted:sleeper', system_prompt: 'You answer.' } },
      steps: [{ id: 'answer', agent: 'sleeper', task: 'Answer.' }],
      output: '${steps.answer.output}',
    });
    const asleep = await deployment.start('sleep', {});
    // The file is there a moment before the worker's pid is in it.
    const asked = deployment.scriptFile('asked');
    const holder = await waitFor(() => existsSync(asked) && (Number(readFileSync(asked, 'utf8')) || null), {
      timeoutMs: 60_000,
      what: 'the call of the sleeper',
    });
    const sleeper = deployment.workers.find(({ pid }) => pid === holder);
    if (sleeper === undefined) throw new Error(`no worker of the deployment has the pid ${holder}`);
    sleeper.signal('SIGSTOP');
    await waitFor(async () => (await starts(asleep)) === 2, { timeoutMs: 60_000, what: 'the takeover' });
    writeFileSync(deployment.scriptFile('go'), '');
    const [woken] = await deployment.ended([asleep]);
    const [before] = await sql<{ events: number }[]>`select count(*)::int as events from event`;
    sleeper.signal('SIGCONT');
    // Both hold an answer to the same call; the sleeper's comes late.
    expect(woken).toMatchObject({ status: 'succeeded', output: 'awake' });

    const tools = await ToolServer.open(() => random.between(0, 60));
    deployment.script('clerk', clerkScript(100));
    // The sleeper is still of use: with the other one gone it does all the work.
    await deployment.apply(order(tools));
    const other = deployment.workers.find((worker) => worker !== sleeper);
    await other?.terminate();
    const first = await deployment.start('order', { n: 0 });
    await deployment.ended([first]);
    const [after] = await sql<{ events: number }[]>`select count(*)::int as events from event where run_id <> ${first}`;
    expect(after).toEqual(before);
    await other?.start();

    const inputs = Array.from({ length: ORDERS }, (_, n) => n);
    const starting = (async () => {
      const ids = [first];
      for (const n of inputs.slice(1)) {
        ids.push(await deployment.start('order', { n }));
        await delay(random.between(0, 500));
      }
      return ids;
    })();
    for (let sleeps = 0; sleeps < SLEEPS; sleeps += 1) {
      await delay(random.between(200, 1500));
      const worker = random.pick(deployment.workers);
      worker.signal('SIGSTOP');
      await delay(random.between(3_500, 5_000));
      worker.signal('SIGCONT');
    }
    const runIds = await starting;
    const runs = await deployment.ended(runIds);
    expectOrders(runs, inputs, tools);
    const [taken] = await sql<{ count: number }[]>`select count(*)::int as count from step_run where starts > 1`;
    tell(`${taken?.count} steps taken over, ${tools.requests.length} requests for ${tools.effects().length} effects`);
    await expectSound(deployment, [asleep, ...runIds]);
    await tools.close();
  },
});
