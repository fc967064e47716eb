import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { v7 as uuidV7 } from 'uuid';
import type { Finding } from '#libs/domain';
import { celExpressions } from '#libs/expressions';
import { Admission, ComingSteps, ConversationCache, HeldSteps, recordedCalls, type EngineDeps } from '#libs/engine';
import {
  connect,
  postgresCompactionStore,
  postgresEventLog,
  postgresPipelineStore,
  postgresRecordingStore,
  postgresRunStore,
  schemaStanding,
  type Database,
} from '#libs/event-store';
import { createModels, Scripts } from '#libs/models';
import { createTracing, type Logger, type Settings, type Tracing } from '#libs/platform';
import { createQueueBackend, type QueueBackend, type ReportFault } from '#libs/queue';
import { createTools, loadPlugins, type ClosableTools } from '#libs/tools';
import { lookAround } from './checks/look-around.js';
import { engineSettings } from './engine-settings.js';
import { faultReporter } from './fault-reporter.js';
import { pipelineFacts } from './pipeline-facts.js';
import { databaseUrl, queueSettings } from './queue-settings.js';
import { engineMetrics, type EngineMetrics } from './observe/engine-metrics.js';
import { observedEngine } from './observe/observed-engine.js';
import type { Tracer } from './observe/traced-calls.js';
import { askedOnce, type ReadinessCheck } from './readiness.js';
import { webhookSender, type ClosableWebhookSender } from './webhook-sender.js';
import { knownSecrets, secretRedactor } from './secret-redactor.js';

/** A process' engine with its adapters. Whoever composed it closes `queue`, then `database`. */
export type Runtime = {
  engine: EngineDeps;
  database: Database;
  queue: QueueBackend;
  /** Its `close` ends MCP servers; before the queue. */
  tools: ClosableTools;
  /** Its `close` ends connections to webhook endpoints. */
  webhooks: ClosableWebhookSender;
  /** For faults of the queue that nobody waits for. */
  reportFault: ReportFault;
  /** What this process counts; `/metrics` shows it. */
  registry: Registry;
  metrics: EngineMetrics;
  /** Its `close` sends what is left; last. */
  tracing: Tracing;
  /** What stands around the process: the checks of its start. */
  lookAround: () => Promise<Finding[]>;
  /** Whether database and queue are there, for `/health/ready`. */
  readiness: ReadinessCheck[];
};

/**
 * The one place where ports meet adapters; api, worker, compactor and tests use it alike. Opens connections to the queue;
 * the database is first spoken to by whoever uses it.
 * @throws AppError `missing_setting`, `invalid_queue_settings`, `invalid_plugin`
 */
export async function composeEngine(settings: Settings, logger: Logger, app: string): Promise<Runtime> {
  const plugins = await loadPlugins(settings.plugins);
  const database = connect({
    url: databaseUrl(settings),
    poolSize: settings.database.poolSize,
    prepare: settings.database.prepare,
    // One name for each process: `pg_stat_activity` then shows who holds what, and how many there are.
    applicationName: `weir-${app}:${randomBytes(4).toString('hex')}`,
  });
  const reportFault = faultReporter(logger);
  const queue = await createQueueBackend(queueSettings(settings), reportFault);
  const webhooks = webhookSender(settings.http.allowedHosts);
  const registry = new Registry();
  const metrics = engineMetrics(registry);
  const tracing = await createTracing(settings.telemetry, `weir-${app}`);
  const { engine, tools } = engineDeps(settings, { logger, app, database, queue, plugins, webhooks, metrics, tracing });
  return {
    engine,
    database,
    queue,
    tools,
    webhooks,
    reportFault,
    registry,
    metrics,
    tracing,
    lookAround: () =>
      lookAround({
        ...{ settings, database, queue, storedEpoch: null, processes: null },
        schema: () => schemaStanding(database),
        storedBackend: () => engine.runs.installationFact('queue_backend', queue.kind),
      }),
    readiness: [databaseCheck(database), schemaCheck(database), { name: 'queue', check: () => queueCheck(queue) }].map(
      askedOnce,
    ),
  };
}

/** What a process keeps of conversations between their steps' jobs; those it works on come on top. */
const CONVERSATION_BYTES = 128 * 1024 * 1024;

type Plugins = Awaited<ReturnType<typeof loadPlugins>>;
type Parts = {
  logger: Logger;
  app: string;
  database: Database;
  queue: QueueBackend;
  plugins: Plugins;
  webhooks: ClosableWebhookSender;
  metrics: EngineMetrics;
  tracing: Tracing;
};

function providersOf({ connections }: Settings): Tracer['providers'] {
  return new Map([...connections.values()].map(({ name, provider }) => [name, provider]));
}

function engineDeps(settings: Settings, parts: Parts): { engine: EngineDeps; tools: ClosableTools } {
  const { logger, app, database, queue, webhooks, metrics } = parts;
  const expressions = celExpressions();
  const scripts = new Scripts(settings.scriptsDir);
  const log = postgresEventLog(database);
  const recorded = recordedCalls({ recordings: postgresRecordingStore(database), log });
  const tools = toolsOf(settings, parts, { expressions, recorded });
  const redact = secretRedactor(knownSecrets(settings));
  const observed = observedEngine(
    {
      ...{ log, tools, runs: postgresRunStore(database), compactions: postgresCompactionStore(database) },
      models: createModels({ connections: settings.connections, overrides: settings.models, scripts, recorded }),
    },
    metrics,
    { tracing: parts.tracing, redact, providers: providersOf(settings) },
  );
  const engine: EngineDeps = {
    ...observed,
    pipelines: postgresPipelineStore(database),
    queue: queue.queue,
    wakeups: queue.wakeups,
    epoch: queue.epoch,
    limiter: queue.limiter,
    webhooks,
    expressions,
    pipelineFacts: pipelineFacts({ ...settings, plugins: [...parts.plugins.keys()] }, expressions),
    redact,
    settings: engineSettings(settings, app),
    admission: new Admission(),
    held: new HeldSteps(),
    coming: new ComingSteps(),
    conversations: new ConversationCache(CONVERSATION_BYTES),
    logger,
    now: () => new Date(),
    random: Math.random,
    newId: (prefix) => `${prefix}_${uuidV7()}`,
  };
  return { engine, tools };
}

function toolsOf(
  { secrets, http, mcpServers }: Settings,
  { logger, plugins }: Parts,
  shared: { expressions: ReturnType<typeof celExpressions>; recorded: ReturnType<typeof recordedCalls> },
): ClosableTools {
  return createTools({
    ...{ ...shared, plugins, secrets, http, mcpServers },
    onToolChange: (tool, server) =>
      logger.warn({ tool, server }, 'a tool of an MCP server changed; steps see it as it is now'),
  });
}

async function queueCheck(queue: QueueBackend): Promise<{ ok: boolean; detail: string }> {
  const { ok, detail } = await queue.health();
  return { ok, detail };
}

function schemaCheck(database: Database): ReadinessCheck {
  return {
    name: 'schema',
    check: () => schemaStanding(database).catch((error: unknown) => ({ ok: false, detail: messageOf(error) })),
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
          detail: `Postgres does not answer: ${messageOf(error)}`,
        };
      }
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
