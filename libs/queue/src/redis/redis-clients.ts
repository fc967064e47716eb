import { Redis } from 'ioredis';
import type { ReportFault } from '../queue-backend.js';
import type { RedisQueueSettings } from '../queue-settings.js';
import { writeOnceATurn } from './one-write-a-turn.js';

/** Back within two seconds of a server's return, however long it was away. */
const retryStrategy = (attempt: number): number => Math.min(attempt * 100, 1500);

/** The client for commands: one a process. Without a connection its commands fail at once instead of queueing. */
export function commandClient(settings: RedisQueueSettings, reportFault: ReportFault): Redis {
  const client = new Redis(settings.url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 5000,
    retryStrategy,
    connectionName: 'weir-commands',
  });
  writeOnceATurn(client);
  return guarded(client, reportFault);
}

/** A subscribed connection can do nothing else, so it is one of its own. It subscribes again after each reconnection. */
export function subscriberClient(settings: RedisQueueSettings, reportFault: ReportFault): Redis {
  return guarded(
    new Redis(settings.url, {
      maxRetriesPerRequest: null,
      connectTimeout: 5000,
      retryStrategy,
      connectionName: 'weir-wakeups',
    }),
    reportFault,
  );
}

/** For BullMQ's workers, which make their own connections (one of them blocks) and wait for a server that is away. */
export function workerConnectionOptions(settings: RedisQueueSettings): {
  url: string;
  maxRetriesPerRequest: null;
  connectTimeout: number;
  retryStrategy: (attempt: number) => number;
} {
  return { url: settings.url, maxRetriesPerRequest: null, connectTimeout: 5000, retryStrategy };
}

/** Resolves when connected, refused, or after `timeoutMs` all the same: a process starts without its Redis. */
export async function waitForConnection(client: Redis, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      client.off('ready', done).off('error', done);
      resolve();
    };
    const timer = setTimeout(done, timeoutMs);
    client.on('ready', done).on('error', done);
  });
}

export function closeClient(client: Redis): void {
  client.disconnect(false);
}

/** An emitter without a listener for `error` ends the process. */
function guarded(client: Redis, reportFault: ReportFault): Redis {
  client.on('error', (error) => reportFault('the connection to Redis failed', error));
  return client;
}
