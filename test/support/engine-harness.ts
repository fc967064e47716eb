import { v7 as uuidV7 } from 'uuid';
import { celExpressions } from '../../libs/expressions/src/index.js';
import {
  Admission,
  ConversationCache,
  EXECUTABLE_STEP_KINDS,
  applyPipeline,
  ComingSteps,
  HeldSteps,
  recordedCalls,
  relay,
  startRun,
  wakeDue,
  type EngineDeps,
  type EngineLogger,
  type RunRecord,
  type StartRun,
} from '../../libs/engine/src/index.js';
import {
  connect,
  postgresCompactionStore,
  postgresEventLog,
  postgresPipelineStore,
  postgresRecordingStore,
  postgresRunStore,
  type Database,
} from '../../libs/event-store/src/index.js';
import { createModels, Scripts } from '../../libs/models/src/index.js';
import { createTools } from '../../libs/tools/src/index.js';
import { checkContextPolicy } from '../../libs/context/src/index.js';
import type { Json, StoredEvent } from '../../libs/domain/src/index.js';
import { InMemoryQueue, inMemoryEpoch, noLimiter, noWebhooks, silentWakeups } from './in-memory-queue.js';
import { keepLog } from './planted-secrets.js';
import { createTestDatabase } from './test-services.js';
import { waitFor } from './wait-for.js';

export const PROJECT = 'prj_test';

export type LogLine = { level: 'debug' | 'info' | 'warn' | 'error'; fields: { [key: string]: Json }; message: string };

/** A whole engine on a real database of its own, with scripted models and a queue in this process. */
export type EngineHarness = {
  deps: EngineDeps;
  queue: InMemoryQueue;
  scripts: Scripts;
  database: Database;
  logged: LogLine[];
  /** Another worker on the same database and queue. */
  secondWorker: () => EngineDeps;
  apply: (document: Json) => Promise<void>;
  start: (pipeline: string, inputs: { [key: string]: Json }, options?: Partial<StartRun>) => Promise<string>;
  /** Starts a run and drains the queue. */
  run: (pipeline: string, inputs: { [key: string]: Json }, options?: Partial<StartRun>) => Promise<RunRecord>;
  /** Drains the queue, wakes what is due and relays until the run has ended. */
  untilEnded: (runId: string) => Promise<RunRecord>;
  runRecord: (runId: string) => Promise<RunRecord>;
  events: (streamId: string) => Promise<StoredEvent[]>;
  close: () => Promise<void>;
};

export async function createEngineHarness(): Promise<EngineHarness> {
  const testDatabase = await createTestDatabase();
  const database = connect({ url: testDatabase.url, poolSize: 6, prepare: true, applicationName: 'engine-harness' });
  await database.run((sql) => sql`insert into project (project_id, name) values (${PROJECT}, 'test')`);
  const queue = new InMemoryQueue();
  const scripts = new Scripts();
  const logged: LogLine[] = [];
  const deps = harnessDeps({ database, queue, scripts, logged });
  const harness: EngineHarness = {
    deps,
    queue,
    scripts,
    database,
    logged,
    secondWorker: () => ({
      ...harnessDeps({ database, queue, scripts, logged }),
      settings: { ...deps.settings, workerId: `worker-${uuidV7()}` },
    }),
    apply: (document) => apply(deps, document),
    start: (pipeline, inputs, options) => start(deps, pipeline, inputs, options),
    run: async (pipeline, inputs, options) => {
      const runId = await start(deps, pipeline, inputs, options);
      await queue.drain(deps);
      return harness.runRecord(runId);
    },
    untilEnded: (runId) =>
      waitFor(async () => {
        await queue.drain(deps);
        await wakeDue(deps);
        await relay(deps);
        const record = await harness.runRecord(runId);
        return record.endedAt === null ? null : record;
      }),
    runRecord: async (runId) => {
      const record = await deps.runs.getRun(PROJECT, runId);
      if (record === null) throw new Error(`run ${runId} is not stored`);
      return record;
    },
    events: (streamId) => deps.log.read({ projectId: PROJECT, streamId }),
    close: async () => {
      keepLog(JSON.stringify(logged));
      await database.close();
      await testDatabase.drop();
    },
  };
  return harness;
}

type Parts = { database: Database; queue: InMemoryQueue; scripts: Scripts; logged: LogLine[] };

function harnessDeps({ database, queue, scripts, logged }: Parts): EngineDeps {
  const expressions = celExpressions();
  const logger: EngineLogger = {
    debug: (fields, message) => void logged.push({ level: 'debug', fields, message }),
    info: (fields, message) => void logged.push({ level: 'info', fields, message }),
    warn: (fields, message) => void logged.push({ level: 'warn', fields, message }),
    error: (fields, message) => void logged.push({ level: 'error', fields, message }),
  };
  const log = postgresEventLog(database);
  const recorded = recordedCalls({ recordings: postgresRecordingStore(database), log });
  return {
    log,
    runs: postgresRunStore(database),
    compactions: postgresCompactionStore(database),
    pipelines: postgresPipelineStore(database),
    queue,
    wakeups: silentWakeups,
    epoch: inMemoryEpoch(),
    limiter: noLimiter,
    models: createModels({ connections: new Map(), overrides: {}, scripts, recorded }),
    tools: createTools({ recorded }),
    webhooks: noWebhooks,
    expressions,
    pipelineFacts: {
      expressions,
      executableStepKinds: EXECUTABLE_STEP_KINDS,
      executableToolKinds: ['http', 'builtin', 'pipeline', 'replay'],
      missingFeatures: [],
      builtinTools: ['memory_write', 'memory_read', 'memory_delete', 'read_tool_result', 'now'],
      connections: null,
      defaultModel: null,
      plugins: null,
      mcpServers: null,
      checkContextPolicy: (value, level) => checkContextPolicy(value, level),
    },
    redact: (value) => value,
    settings: {
      workerId: `worker-${uuidV7()}`,
      // Longer than any test: leases run out only where a test says so.
      leaseMs: 60_000,
      heartbeatMs: 500,
      defaultModel: null,
      serverContext: null,
      maxParallelToolCalls: 8,
      modelIdleTimeoutMs: 10_000,
      modelTotalTimeoutMs: 20_000,
      maxStalls: 3,
      goOnMs: 0,
      claimAfterMs: 60_000,
    },
    admission: new Admission(),
    inStep: (_claimed, work) => work(),
    held: new HeldSteps(),
    coming: new ComingSteps(),
    conversations: new ConversationCache(16 * 1024 * 1024),
    logger,
    now: () => new Date(),
    random: () => 0.5,
    newId: (prefix) => `${prefix}_${uuidV7()}`,
  };
}

async function apply(deps: EngineDeps, document: Json): Promise<void> {
  const name = typeof document === 'object' && document !== null && !Array.isArray(document) ? document['name'] : null;
  const result = await applyPipeline(deps, {
    projectId: PROJECT,
    name: typeof name === 'string' ? name : '',
    document,
    promote: true,
  });
  if (!result.ok) throw new Error(`the pipeline was refused: ${JSON.stringify(result.errors, null, 2)}`);
}

async function start(
  deps: EngineDeps,
  pipeline: string,
  inputs: { [key: string]: Json },
  options: Partial<StartRun> = {},
): Promise<string> {
  const result = await startRun(deps, {
    projectId: PROJECT,
    pipeline,
    version: null,
    inputs,
    streamId: null,
    tags: [],
    metadata: {},
    priority: 0,
    deadlineAt: null,
    idempotencyKey: null,
    ...options,
  });
  if (result.status !== 'started' && result.status !== 'replayed')
    throw new Error(`the run was not started: ${JSON.stringify(result)}`);
  return result.runId;
}
