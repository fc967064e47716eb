import 'reflect-metadata';
import { createModels, Scripts } from '../../../libs/models/src/index.js';
import {
  mintApiKey,
  recordedCalls,
  relay,
  sweep,
  wakeDue,
  type ApiKeyScope,
  API_KEY_SCOPES,
} from '../../../libs/engine/src/index.js';
import { createApiKey, createProject, postgresRecordingStore } from '../../../libs/event-store/src/index.js';
import { parseEnvironment, parseOperatorFile, resolveSettings } from '../../../libs/platform/src/index.js';
import { createApi } from '../../../apps/api/src/create-api.js';
import { composeEngine } from '../../../apps/runtime/src/index.js';
import { createTestDatabase, testLogger, testQueue, waitFor } from '../../support/index.js';
import { InMemoryQueue } from '../../support/in-memory-queue.js';
import { takeJobs } from '../../support/take-jobs.js';

export const HOME = 'default';

export type TestApi = Awaited<ReturnType<typeof startTestApi>>;

export type Answer = { status: number; headers: Headers; body: any; text: string };

type RunEvent = { event_id: string; cursor: string; type: string; digest: string; step_id: string | null };

type Ask = { method?: string; key?: string | null; body?: unknown; headers?: Record<string, string> };

/**
 * The real API on a database of its own, listening. Wake-ups go over the machine's queue server; jobs run in this process
 * when a test says so (`work`), with scripted models.
 */
export async function startTestApi({
  databaseUrl,
  operatorFile = '',
  takesJobs = false,
  environment = {},
  onLog,
  ...options
}: {
  keepAliveMs?: number;
  databaseUrl?: (url: string) => Promise<string>;
  operatorFile?: string;
  /** Steps run as jobs of the queue itself, taken by a worker; without it `work` runs them. */
  takesJobs?: boolean;
  environment?: Record<string, string>;
  /** Gets each line of the log. */
  onLog?: (line: string) => void;
} = {}) {
  const testDatabase = await createTestDatabase();
  const queue = await testQueue();
  const variables = {
    DATABASE_URL: (await databaseUrl?.(testDatabase.url)) ?? testDatabase.url,
    WEIR_LEASE_S: '3',
    WEIR_HEARTBEAT_S: '0.5',
    WEIR_QUEUE_BACKEND: queue.backend,
    WEIR_QUEUE_PREFIX: queue.prefix,
    ...(queue.redisUrl === null ? {} : { REDIS_URL: queue.redisUrl }),
    ...environment,
  };
  const settings = resolveSettings(parseEnvironment(variables), parseOperatorFile(operatorFile, 'test'), variables);
  const logger = testLogger('api-test', (line) => {
    onLog?.(line);
    return line;
  });
  const runtime = await composeEngine(settings, logger, 'api-test');
  const scripts = new Scripts();
  const jobs = new InMemoryQueue();
  const recordings = postgresRecordingStore(runtime.database);
  const recorded = recordedCalls({ recordings, log: runtime.engine.log });
  const engine = {
    ...runtime.engine,
    queue: takesJobs ? runtime.engine.queue : jobs,
    models: createModels({ connections: new Map(), overrides: settings.models, scripts, recorded }),
    pipelineFacts: { ...runtime.engine.pipelineFacts, connections: null },
  };
  const taker = takesJobs ? await takeJobs({ ...runtime, engine }, settings) : null;
  const shutdown = new AbortController();
  const { app, document } = await createApi(
    {
      engine,
      database: runtime.database,
      registry: runtime.registry,
      tracing: runtime.tracing,
      queueConnections: async () => (await runtime.queue.health()).connections,
      queueBackend: runtime.queue.kind,
      readiness: runtime.readiness,
      stalls: () => [],
      logger,
      version: '0.0.0-test',
      shutdown: shutdown.signal,
      ...options,
    },
    { docs: false },
  );
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  await createProject(runtime.database.kysely, { projectId: HOME, name: HOME, actor: 'test' });

  const newKey = async (scopes: readonly ApiKeyScope[] = API_KEY_SCOPES, projectId = HOME) => {
    const minted = mintApiKey();
    await createApiKey(runtime.database.kysely, {
      projectId,
      keyId: minted.keyId,
      name: 'test',
      secretHash: minted.secretHash,
      scopes,
      actor: 'test',
    });
    return { ...minted, projectId };
  };
  const { token } = await newKey();

  return {
    url,
    token,
    document: document as any,
    engine,
    scripts,
    jobs,
    database: runtime.database,
    databaseName: testDatabase.name,
    server: app.getHttpServer(),
    newKey,
    newProject: async (projectId: string) => {
      await createProject(runtime.database.kysely, { projectId, name: projectId, actor: 'test' });
      return newKey(API_KEY_SCOPES, projectId);
    },
    ask: (path: string, request: Ask = {}) => ask(url, path, { key: token, ...request }),
    /** The feed is behind the oldest transaction of the whole server, and other tests have theirs: this waits for it. */
    feedOf: (run: string) =>
      waitFor(
        async () => {
          const stored = await runtime.database.run((sql) => sql`select from event where run_id = ${run}`);
          const { body } = await ask(url, `/v1/runs/${run}/events?limit=1000`, { key: token });
          return body.data.length === stored.length ? (body.data as RunEvent[]) : null;
        },
        { what: `the whole feed of ${run}` },
      ),
    /** Until all jobs that there are have run: in this call, or in the worker. */
    work: async () => {
      if (taker !== null) return taker.idle();
      await wakeDue(engine);
      await relay(engine);
      await jobs.drain(engine);
    },
    sweep: () => sweep(engine),
    /** What a SIGTERM does first. */
    shutDown: () => shutdown.abort(),
    close: async () => {
      shutdown.abort();
      await app.close();
      await taker?.close();
      await runtime.tools.close();
      await runtime.webhooks.close();
      await runtime.tracing.close();
      await runtime.queue.close();
      await runtime.database.close();
      await testDatabase.drop();
    },
  };
}

async function ask(
  url: string,
  path: string,
  { method = 'GET', key = null, body, headers = {} }: Ask,
): Promise<Answer> {
  const isText = typeof body === 'string';
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : null,
    text,
  };
}

/** One agent step whose scripted model answers once. */
export const chatPipeline = (name: string, script = 'chat') => ({
  name,
  inputs: { message: { type: 'string', required: true } },
  defaults: { model: `scripted:${script}` },
  context: { preset: 'chat' },
  agents: { chat: { system_prompt: 'You answer.' } },
  steps: [{ id: 'answer', agent: 'chat', task: '${inputs.message}' }],
  output: '${steps.answer.output}',
});
