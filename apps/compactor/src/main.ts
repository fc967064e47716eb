import 'reflect-metadata';
import { runBackgroundApp, startOrExit } from '../../runtime/src/index.js';
import { CompactionsProcessor } from './compactions.processor.js';
import { CompactorModule } from './compactor.module.js';

await startOrExit('compactor', () =>
  runBackgroundApp({
    name: 'compactor',
    leases: 'compactions',
    jobs: (settings) => settings.worker.compactorConcurrency,
    module: (options) => CompactorModule.forRoot(options),
    processor: CompactionsProcessor,
  }),
);
