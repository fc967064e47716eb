import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { startEngineLoops, startLoop, type Loop } from '#libs/engine';
import {
  createLogger,
  createShutdown,
  exitOnSignals,
  loadSettings,
  NestLogger,
  type Logger,
  type Settings,
  type Shutdown,
} from '#libs/platform';
import { QueueModule, workerOptions, type JobIntake, type QueueProcessor, type QueueSettings } from '#libs/queue';
import { addShutdownSteps } from './background-shutdown.js';
import { composeEngine, type Runtime } from './compose-engine.js';
import { openGate, type Gate } from './gate.js';
import { startHealthServer } from './health-server.js';
import { createMetrics } from './metrics.js';
import { startWatchdog, type Watchdog, type WatchdogOptions, type WatchedConsumer } from './watchdog.js';
import { queueSettings } from './queue-settings.js';
import { startRetention } from './retention.js';
import { logCleaner } from './secret-redactor.js';

export type BackgroundModuleOptions = {
  runtime: Runtime;
  queue: QueueSettings;
  worker: ReturnType<typeof workerOptions>;
};

/** A process that takes jobs of one queue: the worker, the compactor. */
export type BackgroundApp = {
  name: 'worker' | 'compactor';
  leases: 'steps' | 'compactions';
  /** Jobs at once. */
  jobs: (settings: Settings) => number;
  module: (options: BackgroundModuleOptions) => DynamicModule;
  processor: QueueProcessor;
};

/** Workers tell their capacity this often; it holds for three times as long. */
const ANNOUNCE_MS = 5000;

/** Runs until a signal; the process then ends by `exitOnSignals`. @throws when it cannot start; the caller exits with 1. */
export async function runBackgroundApp(app: BackgroundApp): Promise<void> {
  const settings = loadSettings();
  const logger = createLogger({ name: app.name, level: settings.logLevel, clean: logCleaner(settings) });
  const shutdown = createShutdown(logger);
  exitOnSignals(shutdown, logger);
  await startBackgroundApp(app, settings, logger, shutdown);
}

/** All of the process but its environment and its signals. Ends with `shutdown.begin`. */
export async function startBackgroundApp(
  app: BackgroundApp,
  settings: Settings,
  logger: Logger,
  shutdown: Shutdown,
): Promise<{ runtime: Runtime; healthUrl: string; context: INestApplicationContext }> {
  const runtime = await composeEngine(settings, logger, app.name);
  const { engine, queue } = runtime;
  const metrics = createMetrics(app.name, engine.held, runtime.registry);
  const jobs = app.jobs(settings);
  const context = await createContext(app, settings, runtime, logger, jobs);
  const intake = QueueModule.intake(context, app.processor, runtime.reportFault, metrics.jobEnded);
  const gate = openGate({ lookAround: runtime.lookAround, shutdown, logger, onOpen: () => intake.start() });
  const loops = startEngineLoops(engine, {
    ...settings.steps,
    ...{ leases: app.leases, onSwept: runtime.metrics.swept },
  });
  const announce = announceCapacity(app, runtime, jobs);
  const watchdog = watch(app, runtime, { intake, gate }, { loops, stallMs: settings.steps.stallMs });
  const retention = app.leases === 'steps' ? startRetention(runtime, runtime.registry, settings.retentionMs) : null;
  const checks = [...runtime.readiness, { name: 'jobs', check: () => Promise.resolve(jobsCheck(gate, intake)) }];
  const health = await startHealthServer({
    host: settings.server.host,
    port: settings.server.healthPort ?? 0,
    checks,
    stalls: () => watchdog.stalls(),
    metrics: metrics.registry,
  });
  addShutdownSteps(shutdown, {
    ...{ runtime, gate, intake, announce, loops, retention, watchdog, health },
    drainMs: settings.drainMs,
  });
  logger.info(
    { worker_id: engine.settings.workerId, health: health.url, jobs, queue: queue.kind },
    `${app.name} started`,
  );
  return { runtime, healthUrl: health.url, context };
}

/** Only the workers' capacity bounds how many steps wait in the queue. */
function announceCapacity(app: BackgroundApp, { engine, queue }: Runtime, jobs: number): Loop {
  const turn = async (): Promise<boolean> => {
    if (app.leases === 'steps') await queue.capacity.announce(engine.settings.workerId, jobs);
    return false;
  };
  return startLoop({ name: 'capacity', everyMs: ANNOUNCE_MS, turn }, engine.logger);
}

function watch(
  app: BackgroundApp,
  { engine, queue, registry }: Runtime,
  parts: Pick<WatchedConsumer, 'intake' | 'gate'>,
  of: Pick<WatchdogOptions, 'loops' | 'stallMs'>,
): Watchdog {
  const hasWaiting = async (olderThanMs: number): Promise<boolean> => {
    const waiting =
      app.leases === 'steps'
        ? await engine.runs.findDispatched(olderThanMs, 1)
        : await engine.compactions.findDispatchedCompactions(olderThanMs, 1);
    return waiting.length > 0;
  };
  const isQueueThere = async (): Promise<boolean> => (await queue.health()).ok;
  const consumer = { ...parts, hasWaiting, isQueueThere };
  return startWatchdog({ ...of, consumer, registry, logger: engine.logger });
}

async function createContext(
  app: BackgroundApp,
  settings: Settings,
  runtime: Runtime,
  logger: Logger,
  jobs: number,
): Promise<INestApplicationContext> {
  const { leaseMs, workerId } = runtime.engine.settings;
  const module = app.module({
    runtime,
    queue: queueSettings(settings),
    worker: workerOptions({ jobs, leaseMs, sweepMs: settings.steps.sweepMs, workerName: workerId }),
  });
  return NestFactory.createApplicationContext(module, { logger: new NestLogger(logger), abortOnError: false });
}

function jobsCheck(gate: Gate, intake: JobIntake): { ok: boolean; detail: string } {
  const state = gate.state();
  if (!state.open) return { ok: false, detail: state.detail };
  return intake.isTaking() ? { ok: true, detail: 'takes jobs' } : { ok: false, detail: 'takes no jobs' };
}
