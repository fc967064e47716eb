import { v7 as uuidV7 } from 'uuid';
import { celExpressions } from '#libs/expressions';
import { HeldSteps, recordedCalls, type EngineDeps } from '#libs/engine';
import {
  connect,
  postgresCompactionStore,
  postgresEventLog,
  postgresPipelineStore,
  postgresRecordingStore,
  postgresRunStore,
  type Database,
} from '#libs/event-store';
import { createModels, Scripts } from '#libs/models';
import type { Logger, Settings } from '#libs/platform';
import { createQueueBackend, type QueueBackend, type ReportFault } from '#libs/queue';
import { createTools } from '#libs/tools';
import { engineSettings } from './engine-settings.js';
import { faultReporter } from './fault-reporter.js';
import { pipelineFacts } from './pipeline-facts.js';
import { databaseUrl, queueSettings } from './queue-settings.js';
import type { ReadinessCheck } from './readiness.js';
import { knownSecrets, secretRedactor } from './secret-redactor.js';

/** A process' engine with its adapters. Whoever composed it closes `queue`, then `database`. */
export type Runtime = {
  engine: EngineDeps;
  database: Database;
  queue: QueueBackend;
  /** For faults of the queue that nobody waits for. */
  reportFault: ReportFault;
  /** Whether database and queue are there, for `/health/ready`. */
  readiness: ReadinessCheck[];
};

/**
 * The one place where ports meet adapters; api, worker, compactor and tests use it alike. Opens connections to the queue;
 * the database is first spoken to by whoever uses it.
 * @throws AppError `missing_setting`, `invalid_queue_settings`
 */
export async function composeEngine(settings: Settings, logger: Logger, app: string): Promise<Runtime> {
  const database = connect({
    url: databaseUrl(settings),
    poolSize: settings.database.poolSize,
    prepare: settings.database.prepare,
    applicationName: `weir-${app}`,
  });
  const reportFault = faultReporter(logger);
  const queue = await createQueueBackend(queueSettings(settings), reportFault);
  const engine = engineDeps(settings, { logger, app, database, queue });
  return {
    engine,
    database,
    queue,
    reportFault,
    readiness: [databaseCheck(database), { name: 'queue', check: () => queue.health() }],
  };
}

type Parts = { logger: Logger; app: string; database: Database; queue: QueueBackend };

function engineDeps(settings: Settings, { logger, app, database, queue }: Parts): EngineDeps {
  const expressions = celExpressions();
  const scripts = new Scripts(settings.scriptsDir);
  const log = postgresEventLog(database);
  const recorded = recordedCalls({ recordings: postgresRecordingStore(database), log });
  return {
    log,
    runs: postgresRunStore(database),
    pipelines: postgresPipelineStore(database),
    compactions: postgresCompactionStore(database),
    queue: queue.queue,
    wakeups: queue.wakeups,
    epoch: queue.epoch,
    limiter: queue.limiter,
    models: createModels({ connections: settings.connections, overrides: settings.models, scripts, recorded }),
    tools: createTools({ expressions, secrets: settings.secrets, http: settings.http, recorded }),
    expressions,
    pipelineFacts: pipelineFacts(settings, expressions),
    redact: secretRedactor(knownSecrets(settings)),
    settings: engineSettings(settings, app),
    held: new HeldSteps(),
    logger,
    now: () => new Date(),
    random: Math.random,
    newId: (prefix) => `${prefix}_${uuidV7()}`,
  };
}

function databaseCheck(database: Database): ReadinessCheck {
  return {
    name: 'database',
    check: async () => {
      try {
        await database.run((sql) => sql`select 1`);
        return { ok: true, detail: 'Postgres answers' };
      } catch (error) {
        return {
          ok: false,
          detail: `Postgres does not answer: ${error instanceof Error ? error.message : String(error)}`,
        };
      }
    },
  };
}
