// Weir: the real worker process (Nest, BullMQ, Postgres, all loops), runs started as the API starts them, without HTTP.
// A step is a tool step of a plugin (`noop`, read_only); the map is a `for_each`; the loop of W4 is an agent step, its context
// managed by `window` with a soft cap at the budget, and a compactor in the same process. A run counts as done when the worker
// says `run ended` in its log, which it does after the commit.
//   node --import ../../test/support/typescript-loader.mjs weir.mjs [tool|unprepared|history] [W1 W2 W3 W3d]; weir.mjs agent W4
// Variant `history`: behind 10^6 runs that have ended (OLD_RUNS: another number); it needs the build (`npm run build`).
import { main } from './lib/harness.mjs';
import { sleep } from './lib/basics.mjs';
import { seedOldRuns } from './lib/old-runs.mjs';
import { composed, prepare, settingsOf, sources, starter } from './lib/weir-app.mjs';
import { CHAIN, FAN, FAN_BY_DEFAULT, LOOP, ONE } from './weir-pipelines.mjs';

const overridesOf = (variant) => ({ WEIR_PREPARE: String(variant !== 'unprepared') });

main(import.meta.url, {
  name: 'weir',
  variants: ['tool'],
  async setup(variant) {
    await prepare([CHAIN, ONE, FAN, FAN_BY_DEFAULT, LOOP], overridesOf(variant));
    if (variant !== 'history') return;
    const rows = await seedOldRuns(Number(process.env.OLD_RUNS ?? 1_000_000));
    console.error(`old runs: ${JSON.stringify(rows)}`);
  },
  async worker(variant, ipc) {
    const { startBackgroundApp } = await sources('apps/runtime/src/index.ts');
    const { workerApp } = await sources('apps/worker/src/worker-app.ts');
    const { createLogger, createShutdown } = await sources('libs/platform/src/index.ts');
    const settings = await settingsOf(overridesOf(variant));
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
      while (!(await fetch(`${healthUrl}/health/ready`)).ok) await sleep(50);
    }
    return () => shutdown.begin('bench');
  },
  async client(variant, ipc) {
    const { runtime, close } = await composed(overridesOf(variant));
    // As in the API: without them a process does not know whether its runs must wait their turn.
    const { startEngineLoops } = await sources('libs/engine/src/index.ts');
    const loops = startEngineLoops(runtime.engine, { ...(await settingsOf()).steps, leases: 'none' });
    const start = await starter(runtime.engine);
    return {
      startChain: (id) => start('chain', { id }),
      startFan: (id, n) => start('fan', { id, items: numbers(n) }),
      startFanByDefault: (id, n) => start('fan-by-default', { id, items: numbers(n) }),
      startLoop: (id, n) => {
        ipc.send({ t: 'loop', id, n });
        return start('loop', {}, id);
      },
      close: async () => {
        await loops.stop(2000);
        await close();
      },
    };
  },
});

const numbers = (n) => Array.from({ length: n }, (_, i) => i);

const compactor = async () => (await sources('apps/compactor/src/compactor-app.ts')).compactorApp;

async function answerModels(engine, ipc) {
  const { withAgentModel } = await import('./agent-model.mjs');
  const { models, expect } = withAgentModel(engine.models);
  engine.models = models;
  ipc.on('loop', ({ id, n }) => expect(id, n));
}
