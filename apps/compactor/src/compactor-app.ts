import type { BackgroundApp } from '../../runtime/src/index.js';
import { CompactionsProcessor } from './compactions.processor.js';
import { CompactorModule } from './compactor.module.js';

export const compactorApp: BackgroundApp = {
  name: 'compactor',
  leases: 'compactions',
  jobs: (settings) => settings.worker.compactorConcurrency,
  module: (options) => CompactorModule.forRoot(options),
  processor: CompactionsProcessor,
};
