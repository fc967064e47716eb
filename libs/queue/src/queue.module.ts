import { BullModule, type BullRootModuleOptions } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import { createPostgresBackend, createRedisBackend, setDefaultBackendFactory, type ConnectionOptions } from 'bullmq';
import { postgresConnectionOptions } from './postgres/worker-connection.js';
import { hashTagged } from './queue-names.js';
import type { QueueSettings } from './queue-settings.js';
import { workerConnectionOptions } from './redis/redis-clients.js';

/**
 * What `@Processor` classes connect with. Import it in the root module of a process that takes jobs. Registration is
 * manual: the process calls `BullRegistrar.register()` once it may take jobs. Pushing needs no Nest: `createQueueBackend`.
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
}

function rootOptions(settings: QueueSettings): BullRootModuleOptions {
  switch (settings.kind) {
    case 'redis':
      setDefaultBackendFactory(createRedisBackend);
      return { connection: workerConnectionOptions(settings), prefix: hashTagged(settings.prefix) };
    case 'postgres':
      setDefaultBackendFactory(createPostgresBackend);
      // BullMQ takes the options of the backend that is set; @nestjs/bullmq types only those of Redis.
      return { connection: postgresConnectionOptions(settings) as ConnectionOptions };
  }
}
