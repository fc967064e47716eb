import { Module, type DynamicModule } from '@nestjs/common';
import { QueueModule } from '#libs/queue';
import type { BackgroundModuleOptions } from '../../runtime/src/index.js';
import { compactionsProcessor, ENGINE, TRACING } from './compactions.processor.js';

/** The compactor: the queue's connections, the engine, one processor. */
@Module({})
export class CompactorModule {
  static forRoot({ runtime, queue, worker }: BackgroundModuleOptions): DynamicModule {
    return {
      module: CompactorModule,
      imports: [QueueModule.forRoot(queue)],
      providers: [
        { provide: ENGINE, useValue: runtime.engine },
        { provide: TRACING, useValue: runtime.tracing },
        compactionsProcessor(worker),
      ],
    };
  }
}
