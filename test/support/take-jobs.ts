import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { Runtime } from '../../apps/runtime/src/index.js';
import { queueSettings } from '../../apps/runtime/src/queue-settings.js';
import { workerApp } from '../../apps/worker/src/worker-app.js';
import { startEngineLoops, startLoop } from '../../libs/engine/src/index.js';
import type { Settings } from '../../libs/platform/src/index.js';
import { QueueModule, workerOptions } from '../../libs/queue/src/index.js';
import { waitFor } from './wait-for.js';

const JOBS = 8;
const STOP_MS = 3000;

export type JobTaker = {
  /** Waits until no step is runnable or running. */
  idle: () => Promise<void>;
  close: () => Promise<void>;
};

/** The worker of apps/worker with its loops, on the queue itself, in the test's process and with the test's models. */
export async function takeJobs(runtime: Runtime, settings: Settings): Promise<JobTaker> {
  const { engine, queue, database } = runtime;
  const { leaseMs, workerId } = engine.settings;
  const worker = workerOptions({ jobs: JOBS, leaseMs, sweepMs: settings.steps.sweepMs, workerName: workerId });
  const module = workerApp.module({ runtime, queue: queueSettings(settings), worker });
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  const intake = QueueModule.intake(context, workerApp.processor, runtime.reportFault, () => undefined);
  const announce = async (): Promise<boolean> => {
    await queue.capacity.announce(workerId, JOBS);
    return false;
  };
  await announce();
  const capacity = startLoop({ name: 'capacity', everyMs: 5000, turn: announce }, engine.logger);
  const loops = startEngineLoops(engine, { ...settings.steps, leases: 'steps' });
  intake.start();
  return {
    idle: async () => {
      await waitFor(
        async () => {
          const [open] = await database.sql<{ steps: number }[]>`
            select count(*)::int as steps from step_run where status in ('queued', 'running')`;
          return open?.steps === 0;
        },
        { what: 'the end of all steps under way', timeoutMs: 60_000 },
      );
    },
    close: async () => {
      await intake.stop();
      await intake.close();
      await capacity.stop(STOP_MS);
      await loops.stop(STOP_MS);
      await queue.capacity.withdraw(workerId);
    },
  };
}
