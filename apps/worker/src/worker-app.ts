import type { BackgroundApp } from '../../runtime/src/index.js';
import { StepsProcessor } from './steps.processor.js';
import { WorkerModule } from './worker.module.js';

export const workerApp: BackgroundApp = {
  name: 'worker',
  leases: 'steps',
  jobs: (settings) => settings.worker.concurrency,
  module: (options) => WorkerModule.forRoot(options),
  processor: StepsProcessor,
};
