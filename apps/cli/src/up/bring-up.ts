import type { AppError } from '#libs/domain';
import { weirVersion, type Guard, type Logger, type Settings, type Shutdown } from '#libs/platform';
import { noteServices } from '../client/own-services.js';
import { inspectServers } from '../doctor/inspect.js';
import { planApps, type AppPlans } from './app-plans.js';
import { awaitServices } from './await-services.js';
import { GIVEN_REDIS, startBackingServices, type BackingServices } from './backing-services.js';
import { firstKey } from './first-key.js';
import { prepareDatabase } from './prepare-database.js';
import { SupervisedApp, type Supervision } from './supervised-app.js';
import type { UpOptions } from './up-options.js';
import type { ReadyFacts, UpReport } from './up-report.js';

export type BringUp = {
  readonly options: UpOptions;
  readonly settings: Settings;
  readonly isJson: boolean;
  readonly report: UpReport;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
  readonly guard: Guard;
  /** A server or an app ended and cannot be brought back. */
  readonly onBroken: (error: AppError) => void;
};

/** What an app may take beyond its drain time until it is killed. */
const graceBeyondDrainMs = 700;
const servicesEndWithinMs = 5000;

/**
 * Starts all there is and reports that it is ready. The steps that end it again are added before anything starts,
 * so a signal in the middle of the start finds them.
 */
export async function bringUp(up: BringUp): Promise<{ url: string; apiKey: string }> {
  const { options, settings, report } = up;
  report.progress('Starting …');
  const apps: Promise<SupervisedApp>[] = [];
  const starting = startBackingServices(settings, {
    dataDir: options.dataDir,
    embedded: options.embedded,
    guard: up.guard,
  });
  addEndings(up, apps, starting);
  const services = await starting;
  noteServices(options.dataDir, services);
  const watching = { logger: up.logger, signal: up.shutdown.signal, onGivenUp: up.onBroken };
  for (const server of services.started) server.supervise(watching);
  await awaitGivenServices(up, services);
  await prepareDatabase(services, up.logger);
  const plans = await planApps({ settings, services, options, isLogOnStderr: up.isJson });
  const pids = await startApps(up, apps, plans);
  const apiKey = await firstKey({ url: plans.url, postgresUrl: services.postgresUrl, dataDir: options.dataDir });
  report.ready({ url: plans.url, apiKey, pids, services, dataDir: options.dataDir, version: weirVersion() });
  return { url: plans.url, apiKey };
}

/** Those of an address that somebody gave: what is started here has been waited for. */
async function awaitGivenServices(up: BringUp, services: BackingServices): Promise<void> {
  const given = { database: !services.isPostgresOurs, queue: services.queueNote === GIVEN_REDIS };
  if (!given.database && !given.queue) return;
  const { database, queue } = up.settings;
  const settings: Settings = {
    ...up.settings,
    database: { ...database, url: services.postgresUrl },
    queue: { ...queue, backend: services.queueBackend, redisUrl: services.redisUrl },
  };
  await awaitServices({
    look: async () => {
      const findings = await inspectServers(settings, null);
      // A database of our own changes its queue's backend when it is prepared.
      return given.database ? findings : findings.filter(({ id }) => id !== 'queue_backend');
    },
    say: (text) => {
      up.report.progress(text);
      up.logger.warn(text);
    },
    signal: up.shutdown.signal,
  });
}

/** Each app stands in `apps` from the moment of its start, so that a shutdown in between ends it too. */
async function startApps(up: BringUp, apps: Promise<SupervisedApp>[], plans: AppPlans): Promise<ReadyFacts['pids']> {
  up.shutdown.signal.throwIfAborted();
  const supervision: Supervision = {
    guard: up.guard,
    logger: up.logger,
    signal: up.shutdown.signal,
    graceMs: up.settings.drainMs + graceBeyondDrainMs,
    onGivenUp: up.onBroken,
  };
  apps.push(
    ...[plans.api, ...plans.workers, ...plans.compactors].map((plan) => SupervisedApp.start(plan, supervision)),
  );
  const pids = (await Promise.all(apps)).map((app) => app.pid);
  const [api = 0, ...background] = pids;
  const workers = plans.workers.length;
  return { up: process.pid, api, worker: background.slice(0, workers), compactor: background.slice(workers) };
}

/** Apps first: while they give their leases back they need the servers. */
function addEndings(up: BringUp, apps: Promise<SupervisedApp>[], services: Promise<BackingServices>): void {
  up.shutdown.add({
    name: 'apps',
    timeoutMs: up.settings.drainMs + graceBeyondDrainMs + 300,
    run: async () => {
      const started = await Promise.allSettled(apps);
      await Promise.all(started.flatMap((app) => (app.status === 'fulfilled' ? [app.value.stop()] : [])));
    },
  });
  up.shutdown.add({
    name: 'servers',
    timeoutMs: servicesEndWithinMs,
    run: async () => {
      // A start that failed was reported; the guard ends what it left behind.
      const { started } = await services.catch(() => ({ started: [] }));
      await Promise.all(started.map((server) => server.stop()));
    },
  });
}
