// Weir as the benchmarks use it: a database of its own with a project, a key and the pipelines, the engine as a process composes
// it, and real processes of the build (`npm run build`).
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { CONCURRENCY, REDIS_PORT, flushRedis, freshDb, pgUrl, sleep } from './basics.mjs';
import { procCpuMs } from './meter.mjs';

export const DB = 'bench_weir';
export const PROJECT = 'bench';

const root = new URL('../../../', import.meta.url);
const plugin = fileURLToPath(new URL('../bench-plugin.mjs', import.meta.url));
export const sources = (path) => import(new URL(path, root).href);

const environment = {
  DATABASE_URL: pgUrl(DB),
  REDIS_URL: `redis://127.0.0.1:${REDIS_PORT}`,
  WEIR_WORKER_CONCURRENCY: String(CONCURRENCY),
  WEIR_LOG_LEVEL: 'warn',
  // So that the name of a scripted model is known; nothing is read there.
  WEIR_SCRIPTS_DIR: fileURLToPath(new URL('..', import.meta.url)),
};

/** What `weir.yml` and the environment would say. */
export async function settingsOf(overrides = {}) {
  const { loadSettings } = await sources('libs/platform/src/index.ts');
  return { ...loadSettings({ overrides: { ...environment, WEIR_CONFIG: '', ...overrides } }), plugins: [plugin] };
}

/** The engine as the API has it, without HTTP. */
export async function composed(overrides = {}) {
  const { composeEngine } = await sources('apps/runtime/src/index.ts');
  const { createLogger } = await sources('libs/platform/src/index.ts');
  const logger = createLogger({ name: 'api', level: 'warn' });
  const runtime = await composeEngine(await settingsOf(overrides), logger, 'api');
  const close = async () => {
    await runtime.queue.close();
    await runtime.database.close();
  };
  return { runtime, close };
}

/** A fresh database and an empty queue. @returns the token of a key that may do everything */
export async function prepare(pipelines, overrides = {}) {
  await flushRedis();
  const { migrate, createProject, createApiKey } = await sources('libs/event-store/src/index.ts');
  const { applyPipeline, mintApiKey, API_KEY_SCOPES } = await sources('libs/engine/src/index.ts');
  await migrate(await freshDb(DB));
  const { runtime, close } = await composed(overrides);
  const { kysely } = runtime.database;
  await createProject(kysely, { projectId: PROJECT, name: 'bench', actor: 'bench' });
  const { keyId, secretHash, token } = mintApiKey();
  await createApiKey(kysely, {
    projectId: PROJECT,
    keyId,
    name: 'bench',
    secretHash,
    scopes: API_KEY_SCOPES,
    actor: 'bench',
  });
  for (const document of pipelines) {
    const pipeline = { projectId: PROJECT, name: document.name, document, promote: true };
    const applied = await applyPipeline(runtime.engine, pipeline);
    if (!applied.ok) throw new Error(JSON.stringify(applied.errors));
  }
  await close();
  return token;
}

const START = {
  projectId: PROJECT,
  version: null,
  tags: [],
  metadata: {},
  priority: 0,
  deadlineAt: null,
  idempotencyKey: null,
};

/** Starts runs as the API does. */
export async function starter(engine) {
  const { startRun } = await sources('libs/engine/src/index.ts');
  return async (pipeline, inputs, streamId = null) => {
    const result = await startRun(engine, { ...START, pipeline, inputs, streamId });
    if (result.status !== 'started') throw new Error(JSON.stringify(result));
    return result.runId;
  };
}

/** A process of the build, as an operator runs it, once it is ready. `app`: api, worker or compactor. */
export async function startProcess(app) {
  const port = await freePort();
  const config = `${tmpdir()}/weir-bench-${process.pid}.yml`;
  writeFileSync(config, `plugins: [${JSON.stringify(plugin)}]\n`);
  const ports = app === 'api' ? { WEIR_PORT: String(port) } : { WEIR_HEALTH_PORT: String(port) };
  const child = spawn(process.execPath, [fileURLToPath(new URL(`dist/apps/${app}/src/main.js`, root))], {
    env: { ...process.env, ...environment, WEIR_CONFIG: config, ...ports },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  // A benchmark that fails leaves nothing behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, child);
  return {
    url,
    pid: child.pid,
    cpuMs: () => procCpuMs(child.pid),
    memory: () => memoryOf(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      process.removeListener('exit', kill);
    },
  };
}

async function untilReady(url, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.at(-1)} ended with ${child.exitCode}`);
    const isReady = await fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(100);
  }
}

/** Resident memory and its highest value so far, MB. */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field) => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { rss: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
