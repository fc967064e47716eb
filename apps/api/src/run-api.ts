import { startEngineLoops, stopTurning } from '#libs/engine';
import {
  createLogger,
  createShutdown,
  exitOnSignals,
  loadSettings,
  weirVersion,
  type Logger,
  type Settings,
  type Shutdown,
} from '#libs/platform';
import { composeEngine, logCleaner, startWatchdog, type Runtime } from '../../runtime/src/index.js';
import { openGate } from '../../runtime/src/gate.js';
import type { ApiParts } from './api-parts.js';
import { createApi } from './create-api.js';

const CLOSE_MS = 3000;
const DEFAULT_PORT = 7117;
const WAKE_UP_WAIT_MS = 100;

/** Runs until a signal. The API takes no jobs; like every process it relays and sweeps. */
export async function runApi(): Promise<void> {
  const settings = loadSettings();
  const logger = createLogger({ name: 'api', level: settings.logLevel, clean: logCleaner(settings) });
  const shutdown = createShutdown(logger);
  exitOnSignals(shutdown, logger);
  await startApi(settings, logger, shutdown, { docs: true });
}

/** All of the process but its environment and its signals. Ends with `shutdown.begin`. `docs`: see `createApi`. */
export async function startApi(
  settings: Settings,
  logger: Logger,
  shutdown: Shutdown,
  options: { docs: boolean },
): Promise<{ url: string; runtime: Runtime }> {
  const runtime = await composeEngine(settings, logger, 'api');
  const { database, queue, lookAround, registry } = runtime;
  // Nobody who starts a run waits for the queue.
  const engine = { ...runtime.engine, settings: { ...runtime.engine.settings, wakeUpWaitMs: WAKE_UP_WAIT_MS } };
  const gate = openGate({
    ...{ lookAround, shutdown, logger },
    onOpen: () => logger.info({ queue: queue.kind }, 'the queue is there'),
  });
  const loops = startEngineLoops(engine, { ...settings.steps, leases: 'none', onSwept: runtime.metrics.swept });
  const { stallMs } = settings.steps;
  const watchdog = startWatchdog({ stallMs, loops, consumer: null, logger: engine.logger, registry });
  const parts = apiParts(
    { ...runtime, engine },
    { logger, shutdown: shutdown.signal, stalls: () => watchdog.stalls() },
  );
  const { app } = await createApi(parts, options);
  await app.listen(settings.server.port ?? DEFAULT_PORT, settings.server.host);
  const turning = [loops, watchdog];
  // Readiness goes off and streams end with the shutdown's signal, before any of these.
  shutdown.add({ name: 'gate', timeoutMs: CLOSE_MS, run: () => gate.close('shutting down') });
  shutdown.add({ name: 'requests', timeoutMs: settings.drainMs, run: () => app.close() });
  shutdown.add({ name: 'loops', timeoutMs: 2 * CLOSE_MS, run: () => stopTurning(turning, CLOSE_MS) });
  shutdown.add({ name: 'queue', timeoutMs: CLOSE_MS, run: () => queue.close() });
  shutdown.add({ name: 'database', timeoutMs: 2 * CLOSE_MS, run: () => database.close() });
  shutdown.add({ name: 'traces', timeoutMs: CLOSE_MS, run: () => runtime.tracing.close() });
  const url = await app.getUrl();
  logger.info({ url, queue: queue.kind }, 'api started');
  return { url, runtime };
}

function apiParts(
  { engine, database, registry, tracing, queue, readiness }: Runtime,
  more: Pick<ApiParts, 'logger' | 'shutdown' | 'stalls'>,
): ApiParts {
  return {
    ...more,
    ...{ engine, database, registry, tracing },
    queueConnections: async () => (await queue.health()).connections,
    queueBackend: queue.kind,
    // Runs are accepted while the queue is away: they start when it is back.
    readiness: readiness.map((check) => (check.name === 'queue' ? { ...check, isOptional: true as const } : check)),
    version: weirVersion(),
  };
}
