import { AppError } from '#libs/domain';
import { migrate } from '#libs/event-store';
import { weirVersion, type Guard, type Logger, type ManagedProcess, type Settings, type Shutdown } from '#libs/platform';
import { planApps } from './app-plans.js';
import { startBackingServices, type BackingServices } from './backing-services.js';
import { firstKey } from './first-key.js';
import { startSupervised, type AppPlan, type SupervisedApp, type Supervision } from './supervised-app.js';
import type { UpOptions } from './up-options.js';
import type { UpReport } from './up-report.js';

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
  const services = startBackingServices(settings, { dataDir: options.dataDir, embedded: options.embedded, guard: up.guard });
  addEndings(up, apps, services);
  const running = await services;
  for (const server of running.started) watchServer(server, up.onBroken);
  await migrate(running.postgresUrl);
  const plans = await planApps(settings, running, { ...options, isLogOnStderr: up.isJson, drainMs: settings.drainMs });
  const supervision: Supervision = {
    ...{ guard: up.guard, logger: up.logger, signal: up.shutdown.signal },
    graceMs: settings.drainMs + graceBeyondDrainMs,
    onGivenUp: up.onBroken,
  };
  const startApp = async (plan: AppPlan): Promise<SupervisedApp> => {
    up.shutdown.signal.throwIfAborted();
    const app = startSupervised(plan, supervision);
    apps.push(app);
    return app;
  };
  const [api, compactor, ...workers] = await Promise.all([startApp(plans.api), startApp(plans.compactor), ...plans.workers.map(startApp)]);
  const apiKey = await firstKey({ url: plans.url, postgresUrl: running.postgresUrl, dataDir: options.dataDir });
  report.ready({
    url: plans.url,
    apiKey,
    pids: { up: process.pid, api: api.pid(), worker: workers.map((worker) => worker.pid()), compactor: compactor.pid() },
    services: running,
    dataDir: options.dataDir,
    version: weirVersion(),
  });
  return { url: plans.url, apiKey };
}

/** Apps first: while they give their leases back they need the servers. */
function addEndings(up: BringUp, apps: Promise<SupervisedApp>[], services: Promise<BackingServices>): void {
  up.shutdown.add({
    name: 'apps',
    timeoutMs: up.settings.drainMs + graceBeyondDrainMs + 300,
    run: async () => {
      const started = await Promise.allSettled(apps);
      await Promise.all(started.map((app) => (app.status === 'fulfilled' ? app.value.stop() : undefined)));
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

function watchServer(server: ManagedProcess, onBroken: (error: AppError) => void): void {
  void server.exited.then(({ code, signal }) =>
    onBroken(new AppError('service_died', `${server.name} ended unexpectedly (${signal ?? `exit code ${code}`}).`, { name: server.name })),
  );
}
