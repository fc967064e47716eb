import { BullModule, BullRegistrar, type BullRootModuleOptions, type WorkerHost } from '@nestjs/bullmq';
import { Module, type DynamicModule, type INestApplicationContext, type Type } from '@nestjs/common';
import { createPostgresBackend, setDefaultBackendFactory } from 'bullmq';
import { createJobIntake, type JobIntake } from './job-intake.js';
import { postgresConnectionOptions } from './postgres/worker-connection.js';
import { assertTakesSignal } from './processor-arity.js';
import type { ReportFault } from './queue-backend.js';
import { hashTagged } from './queue-names.js';
import type { QueueSettings } from './queue-settings.js';
import { createWorkerBackend } from './redis/finish-brings-next.js';
import { workerConnectionOptions } from './redis/redis-clients.js';

export type QueueProcessor = Type<WorkerHost>;

/**
 * What a `@Processor` class connects with. Import it in the root module of a process that takes jobs, then ask for its
 * `intake`: nothing is taken before that starts. Pushing needs no Nest: `createQueueBackend`.
 */
@Module({})
export class QueueModule {
  /** Also sets BullMQ's backend for the whole process: one process, one backend. */
  static forRoot(settings: QueueSettings): DynamicModule {
    return {
      module: QueueModule,
      imports: [
        BullModule.forRoot({ ...rootOptions(settings), extraOptions: { manualRegistration: true } }),
        // Without names: brings what finds processors, and no second queue object with connections of its own (C8).
        BullModule.registerQueue(),
      ],
    };
  }

  /** The intake of the context's one processor. @throws AppError `processor_without_signal` */
  static intake(
    context: INestApplicationContext,
    processor: QueueProcessor,
    reportFault: ReportFault,
    onEnded: (outcome: 'done' | 'threw') => void,
  ): JobIntake {
    const instance = context.get(processor);
    assertTakesSignal(instance);
    const open = () => {
      // Makes the processor's worker, another one each time.
      context.get(BullRegistrar, { strict: false }).register();
      return instance.worker;
    };
    return createJobIntake(open, reportFault, onEnded);
  }
}

function rootOptions(settings: QueueSettings): BullRootModuleOptions {
  switch (settings.kind) {
    case 'redis':
      setDefaultBackendFactory(createWorkerBackend);
      return { connection: workerConnectionOptions(settings), prefix: hashTagged(settings.prefix) };
    case 'postgres':
      setDefaultBackendFactory(createPostgresBackend);
      // BullMQ takes the options of the backend that is set, though its types name only those of Redis.
      return { connection: postgresConnectionOptions(settings) };
  }
}
