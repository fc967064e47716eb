import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AppError } from '#libs/domain';
import { createWeirClient } from '#libs/client';
import {
  createLogger,
  createShutdown,
  exitOnSignals,
  isStartedByNpm,
  loadSettings,
  lockDataDir,
  startGuard,
  watchParent,
  type Logger,
  type Shutdown,
} from '#libs/platform';
import type { Output } from '../terminal/output.js';
import { bringUp } from './bring-up.js';
import { runDemonstration } from './demonstration/run-demonstration.js';
import type { UpOptions } from './up-options.js';
import { createUpReport, type UpReport } from './up-report.js';

/** Five seconds after Ctrl-C nothing may run: workers get two of them, unless `WEIR_DRAIN_S` says otherwise. */
const drainSeconds = '2';

type Up = {
  readonly options: UpOptions;
  readonly isJson: boolean;
  readonly report: UpReport;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
};

/**
 * `weir up`: services, migrations, api, workers and compactor as processes of their own, the demonstration; stays
 * until a signal unless `once`. Ends this process; whatever is left then is ended by the guard.
 */
export async function runUp(options: UpOptions, output: Output): Promise<never> {
  const report = createUpReport(output);
  const logger = createLogger({ name: 'up', level: output.isJson ? 'info' : 'error' });
  const shutdown = createShutdown(logger);
  const exit = (exitCode: number): never => {
    report.stopped(exitCode);
    return process.exit(exitCode);
  };
  exitOnSignals(shutdown, logger, exit);
  if (isStartedByNpm()) watchParent(() => void shutdown.begin('npm has gone', 1).then((end) => exit(end.exitCode)));
  const exitCode = await untilDone({ options, isJson: output.isJson, report, logger, shutdown }).catch(
    (error: unknown) => {
      // What fails because a signal came in the middle of the start is no failure of its own.
      if (!shutdown.signal.aborted) report.failed(error);
      return 1;
    },
  );
  const end = await shutdown.begin('done', exitCode);
  return exit(end.exitCode);
}

async function untilDone(up: Up): Promise<number> {
  const settings = loadSettings({ defaults: { WEIR_DRAIN_S: drainSeconds } });
  makeDataDir(up.options.dataDir);
  const lock = lockDataDir(up.options.dataDir);
  const guard = startGuard();
  return new Promise((resolve, reject) => {
    const onBroken = (error: AppError): void => {
      // In a shutdown everything ends; that is not news.
      if (!up.shutdown.signal.aborted) reject(error);
    };
    const running = bringUp({ ...up, settings, guard, onBroken });
    up.shutdown.add({ name: 'lock', timeoutMs: 1000, run: lock.release });
    running.then((facts) => stay(up, facts)).then(resolve, reject);
  });
}

async function stay(up: Up, facts: { readonly url: string; readonly apiKey: string }): Promise<number> {
  const { options, report, logger, shutdown } = up;
  const client = createWeirClient(facts);
  const results = options.demo ? await runDemonstration(client, { logger, onResult: report.demo }) : [];
  if (options.once) return results.every((result) => result.ok) ? 0 : 1;
  report.stay();
  if (!shutdown.signal.aborted)
    await new Promise((resolve) => shutdown.signal.addEventListener('abort', resolve, { once: true }));
  return 0;
}

/** Root lends Postgres another user, who has to pass through; everybody else keeps the folder to themselves. */
function makeDataDir(dataDir: string): void {
  mkdirSync(join(dataDir, 'logs'), { recursive: true });
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
}
