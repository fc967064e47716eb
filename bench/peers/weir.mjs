// Weir: the real worker process (Nest, BullMQ, Postgres, all loops), runs started as the API starts them, without HTTP.
// A step is a tool step of a plugin (`noop`, read_only); the map is a `for_each`. A run counts as done when the worker says
// `run ended` in its log, which it does after the commit.
//   node --import ../../test/support/typescript-loader.mjs weir.mjs [tool|unprepared] [W1 W2 W3]
import { fileURLToPath } from 'node:url';
import { main, freshDb, flushRedis, pgUrl, CONCURRENCY, STEPS, REDIS_PORT } from './lib/harness.mjs';

const DB = 'bench_weir';
const PROJECT = 'bench';
const plugin = fileURLToPath(new URL('noop-plugin.mjs', import.meta.url));
const sources = (path) => import(new URL(`../../${path}`, import.meta.url).href);

/** What `weir.yml` and the environment would say. */
async function settingsOf(variant) {
  const { loadSettings } = await sources('libs/platform/src/index.ts');
  const settings = loadSettings({
    overrides: {
      DATABASE_URL: pgUrl(DB),
      REDIS_URL: `redis://127.0.0.1:${REDIS_PORT}`,
      WEIR_WORKER_CONCURRENCY: String(CONCURRENCY),
      WEIR_PREPARE: String(variant !== 'unprepared'),
      WEIR_LOG_LEVEL: 'warn',
      WEIR_CONFIG: '',
    },
  });
  return { ...settings, plugins: [plugin] };
}

const step = (id, before) => ({
  id,
  ...(before === null ? {} : { depends_on: [before] }),
  tool: 'noop',
  args: { id: '${inputs.id}', i: Number(id.slice(1)), prev: before === null ? null : `\${steps.${before}.output}` },
});
const tools = { noop: { kind: 'plugin', plugin: 'noop', effect: 'read_only' } };
const inputs = { id: { type: 'string' } };
const CHAIN = {
  name: 'chain',
  inputs,
  tools,
  steps: Array.from({ length: STEPS }, (_, n) => step(`s${n + 1}`, n === 0 ? null : `s${n}`)),
};
const FAN = {
  name: 'fan',
  inputs: { ...inputs, items: { type: 'array' } },
  tools,
  steps: [
    { id: 's0', tool: 'noop', args: { id: '${inputs.id}', i: 0 } },
    {
      id: 'map',
      depends_on: ['s0'],
      for_each: '${inputs.items}',
      max_parallel: 1000,
      do: { steps: [{ id: 'item', tool: 'noop', args: { id: '${inputs.id}', i: '${item}' } }] },
    },
    { id: 'join', depends_on: ['map'], tool: 'noop', args: { id: '${inputs.id}', i: 0 } },
  ],
};

main(import.meta.url, {
  name: 'weir',
  variants: ['tool'],
  async setup(variant) {
    await flushRedis();
    const url = await freshDb(DB);
    const { migrate, createProject } = await sources('libs/event-store/src/index.ts');
    await migrate(url);
    const { runtime, close } = await composed(variant);
    await createProject(runtime.database.kysely, { projectId: PROJECT, name: 'bench', actor: 'bench' });
    const { applyPipeline } = await sources('libs/engine/src/index.ts');
    for (const document of [CHAIN, FAN]) {
      const applied = await applyPipeline(runtime.engine, {
        projectId: PROJECT,
        name: document.name,
        document,
        promote: true,
      });
      if (!applied.ok) throw new Error(JSON.stringify(applied.errors));
    }
    await close();
  },
  async worker(variant, ipc) {
    const { startBackgroundApp } = await sources('apps/runtime/src/index.ts');
    const { workerApp } = await sources('apps/worker/src/worker-app.ts');
    const { createLogger, createShutdown } = await sources('libs/platform/src/index.ts');
    const settings = await settingsOf(variant);
    const logger = createLogger({ name: 'worker', level: 'warn' });
    const { harnessIdOf } = await import('./noop-plugin.mjs');
    logger.debug = (fields, message) => {
      if (message === 'run ended') ipc.done(harnessIdOf(fields.run_id));
    };
    const shutdown = createShutdown(logger);
    const { healthUrl } = await startBackgroundApp(workerApp, settings, logger, shutdown);
    while (!(await fetch(`${healthUrl}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 50));
    return () => shutdown.begin('bench');
  },
  async client(variant) {
    const { runtime, close } = await composed(variant);
    const { startRun } = await sources('libs/engine/src/index.ts');
    const start = async (pipeline, inputs) => {
      const result = await startRun(runtime.engine, { ...START, pipeline, inputs });
      if (result.status !== 'started') throw new Error(JSON.stringify(result));
    };
    return {
      startChain: (id) => start('chain', { id }),
      startFan: (id, n) => start('fan', { id, items: Array.from({ length: n }, (_, i) => i) }),
      close,
    };
  },
});

const START = {
  projectId: PROJECT,
  version: null,
  streamId: null,
  tags: [],
  metadata: {},
  priority: 0,
  deadlineAt: null,
  idempotencyKey: null,
};

async function composed(variant) {
  const { composeEngine } = await sources('apps/runtime/src/index.ts');
  const { createLogger } = await sources('libs/platform/src/index.ts');
  const runtime = await composeEngine(await settingsOf(variant), createLogger({ name: 'api', level: 'warn' }), 'api');
  const close = async () => {
    await runtime.queue.close();
    await runtime.database.close();
  };
  return { runtime, close };
}
