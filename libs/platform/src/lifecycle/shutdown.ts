import type { Logger } from '../logging/index.js';

export type ShutdownStep = {
  readonly name: string;
  /** Longest time that this step may take, in milliseconds; then the next one begins. */
  readonly timeoutMs: number;
  /** The signal aborts when the time is over. */
  readonly run: (signal: AbortSignal) => Promise<void> | void;
};

export type ShutdownReport = { readonly exitCode: number; readonly failed: readonly string[] };

export type Shutdown = {
  /** Aborts when shutdown begins. */
  readonly signal: AbortSignal;
  /** Steps run in the order in which they were added. */
  readonly add: (step: ShutdownStep) => void;
  /** Runs all steps once; later calls get the same promise. Never rejects. */
  readonly begin: (reason: string, exitCode?: number) => Promise<ShutdownReport>;
};

/**
 * Ordered, bounded shutdown. The order is ours, not the framework's: a process stops being ready, takes no new
 * jobs, drains, gives leases back and closes its connections, each within its own time. A step that fails or
 * hangs is reported and does not hold up the ones after it.
 */
export function createShutdown(logger: Logger): Shutdown {
  const steps: ShutdownStep[] = [];
  const controller = new AbortController();
  let running: Promise<ShutdownReport> | null = null;
  return {
    signal: controller.signal,
    add: (step) => {
      steps.push(step);
    },
    begin: (reason, exitCode = 0) => {
      running ??= (async () => {
        logger.info({ reason }, 'shutting down');
        controller.abort(new Error(`shutdown: ${reason}`));
        const failed: string[] = [];
        for (const step of steps) if (!(await runBounded(step, logger))) failed.push(step.name);
        return { exitCode: failed.length > 0 && exitCode === 0 ? 1 : exitCode, failed };
      })();
      return running;
    },
  };
}

async function runBounded(step: ShutdownStep, logger: Logger): Promise<boolean> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`shutdown step "${step.name}" did not end within ${step.timeoutMs} ms`);
      controller.abort(error);
      reject(error);
    }, step.timeoutMs);
  });
  try {
    await Promise.race([Promise.resolve().then(() => step.run(controller.signal)), expired]);
    return true;
  } catch (error) {
    logger.error({ err: error, step: step.name }, 'shutdown step failed');
    return false;
  } finally {
    clearTimeout(timer);
  }
}
