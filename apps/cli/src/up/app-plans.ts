import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, freePorts, processEnvironment, type Settings } from '#libs/platform';
import { defaultPort } from '../client/server-address.js';
import type { BackingServices } from './backing-services.js';
import type { AppPlan } from './supervised-app.js';
import type { UpOptions } from './up-options.js';

export type PlanInput = {
  readonly settings: Settings;
  readonly services: BackingServices;
  readonly options: UpOptions;
  readonly isLogOnStderr: boolean;
};

export type AppPlans = {
  readonly url: string;
  readonly api: AppPlan;
  readonly workers: readonly AppPlan[];
  readonly compactors: readonly AppPlan[];
};

/** Which app listens where and with which settings. */
export async function planApps(up: PlanInput): Promise<AppPlans> {
  const { settings, options } = up;
  const port = await apiPort(options.port ?? settings.server.port, settings.server.host);
  const ports = await freePorts(options.workers + options.compactors);
  // A listener on all addresses is asked on the loopback one.
  const askHost = ['0.0.0.0', '::', '[::]'].includes(settings.server.host) ? '127.0.0.1' : settings.server.host;
  const url = `http://${askHost}:${port}`;
  return {
    url,
    api: plan(up, 'api', 'api', url, { WEIR_PORT: String(port), WEIR_HEALTH_PORT: null }),
    workers: backgroundPlans(up, 'worker', ports.slice(0, options.workers)),
    compactors: backgroundPlans(up, 'compactor', ports.slice(options.workers)),
  };
}

function backgroundPlans(up: PlanInput, app: string, healthPorts: readonly number[]): AppPlan[] {
  return healthPorts.map((healthPort, index) => backgroundPlan(up, `${app}-${index + 1}`, app, healthPort));
}

/** An app without an API: it listens on the loopback address, for its health alone. */
function backgroundPlan(up: PlanInput, name: string, app: string, healthPort: number): AppPlan {
  const own = { WEIR_WORKER_ID: name, WEIR_HEALTH_PORT: String(healthPort), WEIR_PORT: null, WEIR_HOST: '127.0.0.1' };
  return plan(up, name, app, `http://127.0.0.1:${healthPort}`, own);
}

function plan(up: PlanInput, name: string, app: string, url: string, own: Record<string, string | null>): AppPlan {
  const { settings, services, options } = up;
  return {
    name,
    entryPoint: fileURLToPath(new URL(`../../../${app}/src/main.js`, import.meta.url)),
    env: processEnvironment({
      DATABASE_URL: services.postgresUrl,
      REDIS_URL: services.redisUrl,
      WEIR_QUEUE_BACKEND: services.queueBackend,
      WEIR_DATA_DIR: options.dataDir,
      WEIR_DRAIN_S: String(settings.drainMs / 1000),
      WEIR_HOST: settings.server.host,
      ...own,
    }),
    healthUrl: `${url}/health/ready`,
    output: up.isLogOnStderr ? 'stderr' : freshLog(options.dataDir, name),
  };
}

/** A port that was asked for must be free; the usual one gives way to whatever else runs on the machine. */
async function apiPort(wanted: number | null, host: string): Promise<number> {
  if (wanted !== null) return freePort(wanted, host);
  return freePort(defaultPort, host).catch(() => freePort(0, host));
}

function freshLog(dataDir: string, name: string): { file: string; append: true } {
  const file = join(dataDir, 'logs', `${name}.log`);
  rmSync(file, { force: true });
  return { file, append: true };
}
