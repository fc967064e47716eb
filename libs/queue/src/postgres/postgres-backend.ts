import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import { Answers } from '../answers.js';
import { BullmqStepQueue } from '../bullmq-step-queue.js';
import { ChannelWakeups } from '../channel-wakeups.js';
import { cellMsOf } from '../limiter/limit-bucket.js';
import type { QueueBackend, ReportFault } from '../queue-backend.js';
import { COMPACTIONS_QUEUE, STEPS_QUEUE } from '../queue-names.js';
import { DEFAULT_ADMISSION_FLOOR, DEFAULT_QUEUE_SCHEMA, type PostgresQueueSettings } from '../queue-settings.js';
import { PostgresEpoch } from './postgres-epoch.js';
import { postgresHealth } from './postgres-health.js';
import { PostgresModelLimiter } from './postgres-model-limiter.js';
import { PostgresChannels } from './postgres-channels.js';
import { postgresConnectionOptions } from './worker-connection.js';

const { Queue } = withBackend(createPostgresBackend);

/** Slower than Redis, and at the mercy of the same server as the runs. */
const TIMEOUT_MS = 5000;

/**
 * BullMQ on the runs' own Postgres: development and smoke tests only. Wake-ups go by LISTEN/NOTIFY, the epoch lies in
 * BullMQ's schema (so it is lost with the jobs), admission uses its floor because workers cannot tell their capacity.
 */
export async function createPostgresQueueBackend(
  settings: PostgresQueueSettings,
  reportFault: ReportFault,
): Promise<QueueBackend> {
  const schema = settings.schema ?? DEFAULT_QUEUE_SCHEMA;
  const pool = new pg.Pool({ connectionString: settings.url, max: 2, application_name: 'weir-queue' });
  pool.on('error', (error) => reportFault('the connection to the Postgres queue failed', error));
  const steps = new Queue(STEPS_QUEUE, { connection: postgresConnectionOptions(settings) });
  const compactions = new Queue(COMPACTIONS_QUEUE, { connection: postgresConnectionOptions(settings) });
  for (const queue of [steps, compactions])
    queue.on('error', (error) => reportFault(`the queue ${queue.name} failed`, error));
  await steps.waitUntilReady();
  await compactions.waitUntilReady();
  const answers = new Answers(TIMEOUT_MS);
  const epoch = new PostgresEpoch(pool, schema);
  const limiter = new PostgresModelLimiter(pool, schema, answers, cellMsOf(settings.limitMinuteMs));
  const channels = new PostgresChannels(settings.url, pool, schema, reportFault);
  const wakeups = new ChannelWakeups(channels, reportFault);
  for (const owner of [epoch, limiter, channels]) await owner.createTable();
  return {
    kind: 'postgres',
    queue: new BullmqStepQueue(
      steps,
      compactions,
      async () => ({ capacity: null, waiting: await steps.getJobCountByTypes('waiting', 'prioritized', 'delayed') }),
      settings.admissionFloor ?? DEFAULT_ADMISSION_FLOOR,
      answers,
    ),
    wakeups,
    epoch,
    limiter,
    capacity: { announce: () => Promise.resolve(), withdraw: () => Promise.resolve() },
    health: () => postgresHealth(pool),
    close: async () => {
      await wakeups.close();
      await Promise.all([steps.close(), compactions.close()]);
      await pool.end();
    },
  };
}
