import 'reflect-metadata';
import { runBackgroundApp, startOrExit } from '../../runtime/src/index.js';
import { StepsProcessor } from './steps.processor.js';
import { WorkerModule } from './worker.module.js';

await startOrExit('worker', () =>
  runBackgroundApp({
    name: 'worker',
    leases: 'steps',
    jobs: (settings) => settings.worker.concurrency,
    module: (options) => WorkerModule.forRoot(options),
    processor: StepsProcessor,
  }),
);
