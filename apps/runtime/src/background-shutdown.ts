import { drain, stopTurning, type EngineLoops, type Loop } from '#libs/engine';
import type { Shutdown } from '#libs/platform';
import type { JobIntake } from '#libs/queue';
import type { Runtime } from './compose-engine.js';
import type { Gate } from './gate.js';
import type { HealthServer } from './health-server.js';
import type { Watchdog } from './watchdog.js';

export type BackgroundParts = {
  runtime: Runtime;
  gate: Gate;
  intake: JobIntake;
  announce: Loop;
  loops: EngineLoops;
  watchdog: Watchdog;
  retention: Loop | null;
  health: HealthServer;
  drainMs: number;
};

const CLOSE_MS = 3000;

/**
 * The order in which a worker ends; it is ours. Nest's context holds nothing but the workers closed here, so it is neither
 * closed nor given the signals (rows G1–G4). Heartbeats and the relay go on until the last step ended: what still runs
 * keeps its lease, what was released is dispatched again at once.
 */
export function addShutdownSteps(shutdown: Shutdown, parts: BackgroundParts): void {
  const { runtime, gate, intake, announce, loops, retention, watchdog, health, drainMs } = parts;
  const turning = [announce, loops, watchdog, ...(retention === null ? [] : [retention])];
  const { queue, database } = runtime;
  const steps: [name: string, timeoutMs: number, run: () => Promise<unknown> | void][] = [
    ['readiness off', CLOSE_MS, () => gate.close('shutting down')],
    ['no new jobs', CLOSE_MS, () => intake.stop()],
    ['drain', drainMs + 2 * CLOSE_MS, () => drainAll(runtime, drainMs)],
    ['jobs acknowledged', CLOSE_MS, () => intake.close()],
    ['loops', 2 * CLOSE_MS, () => stopTurning(turning, CLOSE_MS)],
    ['capacity', CLOSE_MS, () => withdraw(runtime)],
    ['tools', CLOSE_MS, () => Promise.all([runtime.tools.close(), runtime.webhooks.close()])],
    ['queue', CLOSE_MS, () => queue.close()],
    ['database', CLOSE_MS + 3000, () => database.close()],
    ['traces', CLOSE_MS, () => runtime.tracing.close()],
    ['health server', CLOSE_MS, () => health.close()],
  ];
  for (const [name, timeoutMs, run] of steps) shutdown.add({ name, timeoutMs, run: async () => void (await run()) });
}

async function withdraw({ engine, queue }: Runtime): Promise<void> {
  try {
    await queue.capacity.withdraw(engine.settings.workerId);
  } catch (error) {
    engine.logger.info({ error: String(error) }, 'capacity not withdrawn; it runs out by itself');
  }
}

async function drainAll({ engine }: Runtime, drainMs: number): Promise<void> {
  const { left } = await drain(engine.held, drainMs);
  if (left > 0)
    engine.logger.error({ left }, 'steps did not stop; their leases will run out and others take them over');
}
