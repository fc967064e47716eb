// Weir: the real worker process (Nest, BullMQ, Postgres, all loops), runs started as the API starts them, without HTTP.
// A step is a tool step of a plugin (`noop`, read_only); the map is a `for_each`; the loop of W4 is an agent step, its context
// managed by `window` with a soft cap at the budget, and a compactor in the same process. A run counts as done when the worker
// says `run ended` in its log, which it does after the commit.
//   node --import ../../test/support/typescript-loader.mjs weir.mjs [tool|unprepared] [W1 W2 W3]; weir.mjs agent W4
import { fileURLToPath } from 'node:url';
import { main, freshDb, flushRedis, pgUrl, CONCURRENCY, REDIS_PORT } from './lib/harness.mjs';
import { CHAIN, FAN, LOOP } from './weir-pipelines.mjs';

const DB = 'bench_weir';
const PROJECT = 'bench';
const plugin = fileURLToPath(new URL('bench-plugin.mjs', import.meta.url));
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
      // So that the name of a scripted model is known; nothing is read there.
      WEIR_SCRIPTS_DIR: fileURLToPath(new URL('.', import.meta.url)),
    },
  });
  return { ...settings, plugins: [plugin] };
}

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
    for (const document of [CHAIN, FAN, LOOP]) {
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
    const { harnessIdOf } = await import('./bench-plugin.mjs');
    logger.debug = (fields, message) => {
      if (message === 'run ended') ipc.done(harnessIdOf(fields.run_id));
    };
    const shutdown = createShutdown(logger);
    const apps = variant === 'agent' ? [workerApp, await compactor()] : [workerApp];
    for (const app of apps) {
      const { runtime, healthUrl } = await startBackgroundApp(app, settings, logger, shutdown);
      if (app === workerApp) await answerModels(runtime.engine, ipc);
      while (!(await fetch(`${healthUrl}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return () => shutdown.begin('bench');
  },
  async client(variant, ipc) {
    const { runtime, close } = await composed(variant);
    const { startRun } = await sources('libs/engine/src/index.ts');
    const start = async (pipeline, inputs, streamId = null) => {
      const result = await startRun(runtime.engine, { ...START, pipeline, inputs, streamId });
      if (result.status !== 'started') throw new Error(JSON.stringify(result));
    };
    return {
      startChain: (id) => start('chain', { id }),
      startFan: (id, n) => start('fan', { id, items: Array.from({ length: n }, (_, i) => i) }),
      startLoop: (id, n) => {
        ipc.send({ t: 'loop', id, n });
        return start('loop', {}, id);
      },
      close,
    };
  },
});

const compactor = async () => (await sources('apps/compactor/src/compactor-app.ts')).compactorApp;

async function answerModels(engine, ipc) {
  const { withAgentModel } = await import('./agent-model.mjs');
  const { models, expect } = withAgentModel(engine.models);
  engine.models = models;
  ipc.on('loop', ({ id, n }) => expect(id, n));
}

const START = {
  projectId: PROJECT,
  version: null,
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
