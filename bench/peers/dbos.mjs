// DBOS Transact (TypeScript), Postgres only. Variants:
//   direct   the worker process starts the workflow itself (DBOS.startWorkflow), 20 at a time; fan-out: 200 runStep in one Promise.all
//   queue    the client enqueues through DBOSClient, the worker polls its queue (default base interval 1 s); fan-out: 200 child workflows on the queue
//   queue50  the same with minPollingIntervalMs 50
import { setImmediate } from 'node:timers';
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { lookup, modelOf, QUESTION } from './lib/agent-loop.mjs';
import { main, noop, freshDb, pgUrl, CONCURRENCY, STEPS, Semaphore } from './lib/harness.mjs';

const DB = 'bench_dbos',
  QN = 'bench';
main(import.meta.url, {
  name: 'dbos',
  variants: ['direct', 'queue', 'queue50'],
  scale: (v) => (v === 'queue' ? 0.4 : 1),
  scale2: (v) => (v === 'queue' ? 0.2 : 1),
  async setup() {
    await freshDb(DB);
    await DBOS.migrate(pgUrl(DB));
  },
  async worker(v, ipc) {
    DBOS.setConfig({
      name: 'bench',
      systemDatabaseUrl: pgUrl(DB),
      systemDatabasePoolSize: 20,
      logLevel: 'error',
      runAdminServer: false,
      applicationVersion: 'v1',
    });
    const chain = DBOS.registerWorkflow(
      async (id) => {
        let prev = null;
        for (let i = 1; i <= STEPS; i++) {
          const k = i,
            p = prev;
          prev = await DBOS.runStep(async () => noop(id, k, p), { name: `step${k}` });
        }
        if (v !== 'direct') setImmediate(() => ipc.done(id)); // queued: told at the function's end, one UPDATE before the status is written, so that no second poll is measured
        return prev;
      },
      { name: 'chain' },
    );
    const fan = DBOS.registerWorkflow(
      async (id, n) => {
        const r = await Promise.all(
          Array.from({ length: n }, (_, i) => DBOS.runStep(async () => noop(id, i), { name: 'item' })),
        );
        return DBOS.runStep(async () => ({ n: r.length }), { name: 'join' });
      },
      { name: 'fan' },
    );
    const item = DBOS.registerWorkflow(async (id, i) => noop(id, i), { name: 'item' });
    const fanq = DBOS.registerWorkflow(
      async (id, n) => {
        const hs = [];
        for (let i = 0; i < n; i++) hs.push(await DBOS.startWorkflow(item, { queueName: 'items' })(id, i));
        for (const h of hs) await h.getResult({ pollingIntervalMs: 50 });
        setImmediate(() => ipc.done(id));
        return n;
      },
      { name: 'fanq' },
    );
    void fanq;
    const loop = DBOS.registerWorkflow(agentLoop, { name: 'loop' });
    await DBOS.launch();
    if (v !== 'direct') {
      const p = v === 'queue50' ? { minPollingIntervalMs: 50 } : {};
      await DBOS.registerQueue(QN, { workerConcurrency: CONCURRENCY, ...p, onConflict: 'always_update' });
      await DBOS.registerQueue('items', { workerConcurrency: CONCURRENCY, ...p, onConflict: 'always_update' });
    }
    const sem = new Semaphore(CONCURRENCY);
    const go = (id, f) =>
      sem
        .run(async () => {
          const h = await f();
          await h.getResult();
          ipc.done(id);
        })
        .catch((e) => console.error(e));
    ipc.on('chain', ({ id }) => go(id, () => DBOS.startWorkflow(chain, { workflowID: id })(id)));
    ipc.on('fan', ({ id, n }) => go(id, () => DBOS.startWorkflow(fan, { workflowID: id })(id, n)));
    ipc.on('loop', ({ id, n }) => go(id, () => DBOS.startWorkflow(loop, { workflowID: id })(id, n)));
    return () => DBOS.shutdown();
  },
  async client(v, ipc) {
    if (v === 'direct')
      return {
        startChain: (id) => ipc.send({ t: 'chain', id }),
        startFan: (id, n) => ipc.send({ t: 'fan', id, n }),
        startLoop: (id, n) => ipc.send({ t: 'loop', id, n }),
        close() {},
      };
    const c = await DBOSClient.create({
      systemDatabaseUrl: pgUrl(DB),
      systemDatabasePoolSize: 20,
      applicationName: 'bench',
    });
    const enq = (wf, id, ...a) =>
      c.enqueue({ workflowName: wf, queueName: QN, workflowID: id, appVersion: 'v1' }, ...a);
    return {
      startChain: (id) => enq('chain', id, id),
      startFan: (id, n) => enq('fanq', id, id, n),
      close: () => c.destroy(),
    };
  },
});

/** Each call of the model and of the tool is a step; the messages are the workflow's own variable, none is left out. */
async function agentLoop(id, turns) {
  const answer = modelOf(id, turns);
  const messages = [{ role: 'user', content: QUESTION }];
  for (;;) {
    const { content, call } = await DBOS.runStep(async () => answer(charsOf(messages)), { name: 'model' });
    messages.push({ role: 'assistant', content, tool_calls: call === null ? [] : [call] });
    if (call === null) return messages.length;
    messages.push(
      await DBOS.runStep(async () => ({ role: 'tool', tool_call_id: call.id, content: lookup() }), { name: 'tool' }),
    );
  }
}

const charsOf = (messages) =>
  messages.reduce(
    (sum, { content, tool_calls: calls }) => sum + content.length + (calls?.length ? JSON.stringify(calls).length : 0),
    0,
  );
