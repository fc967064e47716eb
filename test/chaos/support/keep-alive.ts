import type { AppProcess } from './app-process.js';

/** Starts processes again that die, as a supervisor does. `stop` first, then end them. */
export function keepAlive(apps: readonly AppProcess[]): {
  readonly deaths: () => number;
  readonly stop: () => Promise<void>;
} {
  let deaths = 0;
  let isStopped = false;
  const watch = async (app: AppProcess): Promise<void> => {
    while (!isStopped) {
      const stopped = Symbol('stopped');
      const end = await Promise.race([app.exited, stopping.then(() => stopped)]);
      if (end === stopped || isStopped) return;
      deaths += 1;
      await app.launch();
    }
  };
  let tellStopping = (): void => undefined;
  const stopping = new Promise<void>((resolve) => (tellStopping = resolve));
  const watching = Promise.all(apps.map(watch));
  return {
    deaths: () => deaths,
    stop: async () => {
      isStopped = true;
      tellStopping();
      await watching;
    },
  };
}
