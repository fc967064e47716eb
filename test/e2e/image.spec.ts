/**
 * The image without an engine: its files (what the Dockerfile's last stage copies, packages as it installs them) in a
 * folder of their own, and the commands of docker-compose.yml run from there, against real servers.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../libs/platform/src/index.js';
import { createTestDatabase, testQueue, waitFor, type TestDatabase } from '../support/index.js';
import { imageCopies, packagedCommands } from '../support/packaging.js';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const image = mkdtempSync(join(tmpdir(), 'weir-image-'));
const commands = packagedCommands();
const processes: { name: string; child: ChildProcess; log: () => string }[] = [];
let database: TestDatabase;
let base: NodeJS.ProcessEnv;

beforeAll(async () => {
  execFileSync(process.execPath, ['apps/cli/bin/weir.mjs', '--version'], { cwd: checkout, stdio: 'ignore' });
  for (const { from, to } of imageCopies()) if (from !== 'node_modules') place(from, to);
  productionPackages().forEach((path) => place(path));
  database = await createTestDatabase({ migrated: false });
  const { redisUrl, prefix } = await testQueue();
  base = {
    ...outside(),
    NODE_ENV: 'production',
    NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main',
    DATABASE_URL: database.url,
    ...(redisUrl === null ? { WEIR_QUEUE_BACKEND: 'postgres' } : { REDIS_URL: redisUrl }),
    WEIR_QUEUE_PREFIX: prefix,
    WEIR_HOST: '127.0.0.1',
  };
}, 300_000);

afterAll(async () => {
  for (const { child } of processes) child.kill('SIGKILL');
  rmSync(image, { recursive: true, force: true });
  await database.drop();
});

/** A link and not a copy, for speed; node keeps to the folder of the links (`--preserve-symlinks`). */
function place(from: string, to = from): void {
  mkdirSync(dirname(join(image, to)), { recursive: true });
  symlinkSync(join(checkout, from), join(image, to));
}

/** What `npm prune --omit=dev --omit=optional` leaves. */
function productionPackages(): string[] {
  type Locked = { dev?: true; optional?: true; devOptional?: true; peer?: true };
  const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(lock.packages)
    .filter(([path]) => path.lastIndexOf('node_modules/') === 0)
    .filter(([, { dev, optional, devOptional }]) => !(dev ?? optional ?? devOptional))
    .map(([path]) => path)
    .filter((path) => existsSync(join(checkout, path)));
}

/** The environment as outside of jest and npm. */
function outside(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, NODE_ENV: _environment, npm_lifecycle_event: _event, ...rest } = process.env;
  return rest;
}

function run(command: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const [program = '', ...args] = command;
  return execFileSync(program, args, { cwd: image, env: { ...base, ...env }, encoding: 'utf8', stdio: 'pipe' });
}

function start(name: string, env: NodeJS.ProcessEnv): void {
  const [program = '', ...args] = commands.compose[name] ?? [];
  const child = spawn(program, args, { cwd: image, env: { ...base, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (log += text.toString()));
  processes.push({ name, child, log: () => log });
}

/** The image's own health check, asked of another port than the image's. */
function isHealthy(port: number): boolean {
  const check = commands.healthcheck.map((word) => (/^\d+$/.test(word) ? String(port) : word));
  run(check);
  return true;
}

it('migrates, starts, is healthy, does a run, and ends in order', async () => {
  expect(run(commands.compose['migrate'] ?? [])).toContain('applied');
  const key = JSON.parse(run(['node', 'apps/cli/bin/weir.mjs', 'keys', 'create', '--name', 'first', '--json'])) as {
    key: string;
  };
  const [port = 0, workerHealth = 0, compactorHealth = 0] = await freePorts(3);
  expect(() => isHealthy(port)).toThrow();
  start('api', { WEIR_PORT: String(port) });
  start('worker', { WEIR_HEALTH_PORT: String(workerHealth) });
  start('compactor', { WEIR_HEALTH_PORT: String(compactorHealth) });
  for (const health of [port, workerHealth, compactorHealth])
    await waitFor(() => isHealthy(health), { timeoutMs: 60_000, everyMs: 500, what: `health on ${health}` }).catch(
      (error: unknown) => {
        throw new Error(processes.map(({ name, log }) => `${name}: ${log()}`).join('\n'), { cause: error });
      },
    );
  const weir = (...args: string[]): string =>
    run(['node', 'apps/cli/bin/weir.mjs', ...args], {
      WEIR_URL: `http://127.0.0.1:${port}`,
      WEIR_API_KEY: key.key,
    });
  weir('apply', '-f', 'pipelines/support-chat.yml');
  const lines = weir('run', 'support-chat', '-i', 'user_message=Hello', '-i', 'documents=[]', '--watch', '--json');
  expect(lines).toContain('"succeeded"');
  for (const { child } of processes) child.kill('SIGTERM');
  const codes = await Promise.all(
    processes.map(async ({ child }) => (child.exitCode ?? (await once(child, 'exit'))[0]) as number | null),
  );
  expect(codes).toEqual([0, 0, 0]);
}, 240_000);
