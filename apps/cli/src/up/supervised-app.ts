import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#libs/domain';
import { startProcess, type EndStage, type Guard, type Logger, type ManagedProcess } from '#libs/platform';

export type AppPlan = {
  /** `api`, `worker-1`, `compactor`. */
  readonly name: string;
  /** Compiled entry point. */
  readonly entryPoint: string;
  readonly env: NodeJS.ProcessEnv;
  /** Answers 200 on `/health/ready` once the app takes work. */
  readonly healthUrl: string;
  readonly output: { readonly file: string; readonly append: true } | 'stderr';
};

export type SupervisedApp = {
  readonly name: string;
  readonly pid: () => number;
  readonly stop: () => Promise<void>;
};

export type Supervision = {
  readonly guard: Guard;
  readonly logger: Logger;
  /** Aborts when everything ends: no more waiting, no more restarts. */
  readonly signal: AbortSignal;
  /** How long an app may take to end after SIGTERM, in milliseconds. */
  readonly graceMs: number;
  /** Called when an app died so often that starting it again is pointless. */
  readonly onGivenUp: (error: AppError) => void;
};

const readyWithinMs = 60_000;
const mostRestarts = 10;

/**
 * Starts an app as a process of its own and waits until it is ready. One that dies later is started again: its
 * work is taken over by the others meanwhile, and pipelines go on.
 * @throws AppError `app_not_started`
 */
export async function startSupervised(plan: AppPlan, supervision: Supervision): Promise<SupervisedApp> {
  let current = await start(plan, supervision);
  let isStopping = false;
  const keepAlive = async (): Promise<void> => {
    for (let restarts = 1; ; restarts += 1) {
      const exit = await current.exited;
      if (isStopping) return;
      supervision.logger.warn({ app: plan.name, ...exit, restarts }, 'an app ended unexpectedly');
      if (restarts > mostRestarts) {
        supervision.onGivenUp(new AppError('app_keeps_dying', `${plan.name} ended ${restarts} times; its log tells why.`, { app: plan.name }));
        return;
      }
      await delay(Math.min(5000, 250 * restarts));
      if (isStopping) return;
      current = await start(plan, supervision);
      // `stop` saw only the process before this one.
      if (isStopping) await current.stop();
    }
  };
  const readiness = untilReady(plan, current, supervision.signal);
  await readiness.catch(async (error: unknown) => {
    isStopping = true;
    await current.stop();
    throw error;
  });
  const supervised = keepAlive().catch((error: unknown) => {
    supervision.onGivenUp(error instanceof AppError ? error : new AppError('app_not_started', String(error), {}, { cause: error }));
  });
  return {
    name: plan.name,
    pid: () => current.pid,
    stop: async () => {
      isStopping = true;
      await current.stop();
      await supervised;
    },
  };
}

async function start(plan: AppPlan, supervision: Supervision): Promise<ManagedProcess> {
  const stopWith: readonly EndStage[] = [
    { signal: 'SIGTERM', afterMs: 0 },
    { signal: 'SIGKILL', afterMs: supervision.graceMs },
  ];
  return startProcess({
    name: plan.name,
    command: process.execPath,
    args: ['--enable-source-maps', plan.entryPoint],
    env: plan.env,
    cwd: process.cwd(),
    output: plan.output,
    guard: supervision.guard,
    stopWith,
    // Nobody is left to take leases back from an orderly end; the next start finds them expired.
    orphanedWith: [{ signal: 'SIGKILL', afterMs: 0 }],
  });
}

async function untilReady(plan: AppPlan, app: ManagedProcess, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  let last = 'no answer yet';
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    if (app.hasExited()) {
      const { code, signal } = await app.exited;
      throw notStarted(plan, `ended before it was ready (${signal ?? `exit code ${code}`})`);
    }
    try {
      const response = await fetch(plan.healthUrl, { signal: AbortSignal.timeout(2000) });
      if (response.ok) return;
      last = `${response.status}: ${(await response.text()).slice(0, 500)}`;
    } catch (error) {
      // Not listening yet.
      last = error instanceof Error ? error.message : String(error);
    }
    await delay(50);
  }
  throw notStarted(plan, `was not ready within ${readyWithinMs / 1000} s (${plan.healthUrl} said: ${last})`);
}

function notStarted(plan: AppPlan, what: string): AppError {
  const where = plan.output === 'stderr' ? 'its log is on stderr' : `its log is ${plan.output.file}`;
  return new AppError('app_not_started', `${plan.name} ${what}; ${where}.`, { app: plan.name });
}
