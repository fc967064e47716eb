import { Module, type DynamicModule } from '@nestjs/common';
import { QueueModule } from '#libs/queue';
import type { BackgroundModuleOptions } from '../../runtime/src/index.js';
import { ENGINE, stepsProcessor } from './steps.processor.js';

/** The worker: the queue's connections, the engine, one processor. */
@Module({})
export class WorkerModule {
  static forRoot({ runtime, queue, worker }: BackgroundModuleOptions): DynamicModule {
    return {
      module: WorkerModule,
      imports: [QueueModule.forRoot(queue)],
      providers: [{ provide: ENGINE, useValue: runtime.engine }, stepsProcessor(worker)],
    };
  }
}
