import { createRedisBackend, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { Answers } from '../answers.js';
import { BullmqStepQueue } from '../bullmq-step-queue.js';
import { ChannelWakeups } from '../channel-wakeups.js';
import { cellMsOf } from '../limiter/limit-bucket.js';
import type { QueueBackend, ReportFault } from '../queue-backend.js';
import { COMPACTIONS_QUEUE, hashTagged, STEPS_QUEUE } from '../queue-names.js';
import {
  checkRedisSettings,
  DEFAULT_ADMISSION_FLOOR,
  DEFAULT_COMMAND_TIMEOUT_MS,
  type RedisQueueSettings,
} from '../queue-settings.js';
import { RedisCapacity } from './redis-capacity.js';
import { closeClient, commandClient, subscriberClient, waitForConnection } from './redis-clients.js';
import { RedisEpoch } from './redis-epoch.js';
import { redisHealth } from './redis-health.js';
import { RedisModelLimiter } from './redis-model-limiter.js';
import { RedisChannels } from './redis-channels.js';

const FIRST_CONNECTION_MS = 2000;

export async function createRedisQueueBackend(
  settings: RedisQueueSettings,
  reportFault: ReportFault,
): Promise<QueueBackend> {
  checkRedisSettings(settings);
  const prefix = hashTagged(settings.prefix);
  const commands = commandClient(settings, reportFault);
  // A server that accepts connections but does not answer is not `ready` after this: commands fail at once.
  const answers = new Answers(settings.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS, () => commands.disconnect(true));
  const subscriber = subscriberClient(settings, reportFault);
  await waitForConnection(commands, FIRST_CONNECTION_MS);
  const steps = producer(STEPS_QUEUE, commands, prefix, reportFault);
  const compactions = producer(COMPACTIONS_QUEUE, commands, prefix, reportFault);
  const channels = new RedisChannels(commands, subscriber, prefix, answers, reportFault);
  const wakeups = new ChannelWakeups(channels, reportFault);
  const capacity = new RedisCapacity(commands, prefix, answers, (kind) => steps.toKey(kind));
  return {
    kind: 'redis',
    queue: new BullmqStepQueue(
      steps,
      compactions,
      () => capacity.load(),
      settings.admissionFloor ?? DEFAULT_ADMISSION_FLOOR,
      answers,
    ),
    wakeups,
    epoch: new RedisEpoch(commands, prefix, answers),
    limiter: new RedisModelLimiter(commands, prefix, answers, cellMsOf(settings.limitMinuteMs)),
    capacity,
    health: () => redisHealth(commands, settings, answers),
    close: async () => {
      await wakeups.close();
      await Promise.all([steps.close(), compactions.close()]);
      closeClient(commands);
      closeClient(subscriber);
    },
  };
}

/**
 * `skipVersionCheck` and `skipWaitingForReady`: BullMQ asks a new connection for its version once and keeps a failure
 * for ever, so a queue made while Redis is away would stay broken. `health` reads the version instead.
 */
function producer(name: string, commands: Redis, prefix: string, reportFault: ReportFault): Queue {
  const queue = new Queue(
    name,
    {
      connection: commands,
      prefix,
      skipVersionCheck: true,
      skipWaitingForReady: true,
      skipMetasUpdate: true,
      streams: { events: { maxLen: 100 } },
    },
    createRedisBackend,
  );
  queue.on('error', (error) => reportFault(`the queue ${name} failed`, error));
  return queue;
}
