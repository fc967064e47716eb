import type { Logger } from '../logging/index.js';
import type { Shutdown } from './shutdown.js';

/**
 * npm forwards a terminal's Ctrl-C that the whole foreground group has already received, so one key press
 * arrives twice within milliseconds. Only a signal later than this counts as the second one.
 */
const samePressMs = 700;

/**
 * SIGINT, SIGTERM and SIGHUP begin the shutdown and then exit with its code (an interrupted start is no failure: 0);
 * a second signal exits at once with 130. Returns a function that takes the handlers away.
 */
export function exitOnSignals(
  shutdown: Shutdown,
  logger: Logger,
  exit: (exitCode: number) => void = (exitCode) => process.exit(exitCode),
): () => void {
  let firstAt: number | null = null;
  const onSignal = (name: NodeJS.Signals): void => {
    if (firstAt !== null) {
      if (performance.now() - firstAt < samePressMs) return;
      logger.warn({ signal: name }, 'second signal: exiting at once');
      process.exit(130);
    }
    firstAt = performance.now();
    void shutdown.begin(name).then((report) => exit(report.exitCode));
  };
  const names: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) process.on(name, onSignal);
  return () => {
    for (const name of names) process.off(name, onSignal);
  };
}

/**
 * Calls `onOrphaned` once when the process that started this one is gone: a killed npm or shell tells its
 * children nothing, but their parent's id changes (to 1, or to a subreaper's). Returns a function that stops looking.
 */
export function watchParent(onOrphaned: () => void, everyMs = 250): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onOrphaned();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Whether npm (or npx) is what started this process. */
export function isStartedByNpm(): boolean {
  return process.env['npm_lifecycle_event'] !== undefined;
}
