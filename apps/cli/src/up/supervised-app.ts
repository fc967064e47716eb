import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#libs/domain';
import { startProcess, type EndStage, type Guard, type Logger, type ManagedProcess } from '#libs/platform';

export type AppPlan = {
  /** `api`, `worker-1`, `compactor-1`. */
  readonly name: string;
  /** Compiled entry point. */
  readonly entryPoint: string;
  readonly env: NodeJS.ProcessEnv;
  /** Answers 200 on `/health/ready` once the app takes work. */
  readonly healthUrl: string;
  readonly output: { readonly file: string; readonly append: true } | 'stderr';
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
/** Deaths in a row, each within `longLifeMs` of its start, after which an app is given up. */
const mostRestarts = 10;
const longLifeMs = 30_000;

/** An app as a process of its own. One that dies is started again: others take over its work meanwhile. */
export class SupervisedApp {
  private isStopping = false;
  private supervised: Promise<void> = Promise.resolve();

  private constructor(
    private readonly plan: AppPlan,
    private readonly supervision: Supervision,
    private current: ManagedProcess,
  ) {}

  /** Waits until it is ready. @throws AppError `app_not_started` */
  static async start(plan: AppPlan, supervision: Supervision): Promise<SupervisedApp> {
    const app = new SupervisedApp(plan, supervision, await start(plan, supervision));
    try {
      await untilReady(plan, app.current, supervision.signal);
    } catch (error) {
      await app.stop();
      throw error;
    }
    app.supervised = app.keepAlive().catch((error: unknown) => {
      const isOurs = error instanceof AppError;
      supervision.onGivenUp(isOurs ? error : new AppError('app_not_started', String(error), {}, { cause: error }));
    });
    return app;
  }

  get pid(): number {
    return this.current.pid;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.current.stop();
    await this.supervised;
  }

  private async keepAlive(): Promise<void> {
    for (let restarts = 1; ; restarts += 1) {
      const startedAt = performance.now();
      const exit = await this.current.exited;
      if (this.isStopping) return;
      if (performance.now() - startedAt > longLifeMs) restarts = 1;
      this.supervision.logger.warn({ app: this.plan.name, ...exit, restarts }, 'an app ended unexpectedly');
      if (restarts > mostRestarts) throw keepsDying(this.plan);
      await delay(Math.min(5000, 250 * restarts));
      if (this.isStopping) return;
      this.current = await start(this.plan, this.supervision);
      // `stop` saw only the process before this one.
      if (this.isStopping) await this.current.stop();
    }
  }
}

function keepsDying(plan: AppPlan): AppError {
  const text = `${plan.name} ended ${mostRestarts + 1} times soon after its start; its log tells why.`;
  return new AppError('app_keeps_dying', text, { app: plan.name });
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
