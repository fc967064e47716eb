import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteServices } from '../../../apps/cli/src/client/own-services.js';
import { createTestDatabase, testQueue, type TestDatabase, type TestQueue } from '../../support/index.js';
import { runWeir } from './run-weir.js';

/** `weir doctor` asks servers, not the API. What each check finds: apps/runtime/src/checks/look-around.spec.ts. */
let database: TestDatabase;
let queue: TestQueue;
let folder: string;
const before = { ...process.env };

beforeAll(async () => {
  database = await createTestDatabase();
  queue = await testQueue();
  folder = mkdtempSync(join(tmpdir(), 'weir-doctor-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});
afterEach(() => {
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'WEIR_QUEUE_PREFIX', 'WEIR_DATA_DIR']) delete process.env[name];
  Object.assign(process.env, before);
});

const doctor = (environment: Record<string, string>, ...argv: string[]) => {
  const redis = queue.redisUrl === null ? {} : { REDIS_URL: queue.redisUrl };
  const given = { DATABASE_URL: database.url, WEIR_QUEUE_PREFIX: queue.prefix, WEIR_DATA_DIR: folder, ...redis };
  Object.assign(process.env, given, environment);
  return runWeir({ url: 'http://127.0.0.1:1', key: 'none' }, 'doctor', ...argv);
};

describe('weir doctor', () => {
  it('lists each check with what was found and expected, and ends with 0 where nothing fails', async () => {
    const { code, lines } = await doctor({}, '--json', '--processes', '3');
    expect(lines.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(code).toBe(0);
    expect(lines[0]).toEqual({
      ...{ event: 'check', id: 'settings', status: 'ok', advice: null },
      ...{ found: expect.any(String), expected: expect.any(String) },
    });
    expect(lines.at(-1)).toMatchObject({ event: 'doctor', ok: true, checks: lines.length - 1, failures: 0 });
  });

  it('asks the servers that `weir up` started where the environment names none, and only there', async () => {
    const ours = { postgresUrl: database.url, redisUrl: queue.redisUrl, isPostgresOurs: true };
    noteServices(folder, { ...ours, queueBackend: queue.redisUrl === null ? 'postgres' : 'redis' });
    expect(statSync(join(folder, 'services.json')).mode & 0o077).toBe(0);
    const unnamed = { DATABASE_URL: '', REDIS_URL: '' };
    const { code, lines } = await doctor(unnamed, '--json', '--processes', '3');
    expect([code, lines.at(-1)]).toMatchObject([0, { ok: true, failures: 0 }]);
    const named = await doctor({ DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    expect(named.code).toBe(1);
    noteServices(folder, { ...ours, isPostgresOurs: false, queueBackend: 'redis' });
    expect((await doctor(unnamed)).out).toContain('DATABASE_URL is not set');
  });

  it('ends with 1 and says what to do where something fails', async () => {
    const { code, out } = await doctor({ DATABASE_URL: 'postgres://weir:hunter2@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(out).toMatch(/^fail {2}database .*\n +expected: .*\n +do: start it, or correct DATABASE_URL$/m);
    expect(out).not.toContain('hunter2');
  });

  it.each([
    ['a keyPrefix', { REDIS_URL: 'redis://127.0.0.1:6379?keyPrefix=x' }, 'keyPrefix'],
    ['a prefix that breaks the hash tag', { WEIR_QUEUE_PREFIX: 'a}b' }, 'WEIR_QUEUE_PREFIX'],
    ['an address that is none', { DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
  ])('refuses settings with %s as a process would', async (_, environment, named) => {
    const { code, lines } = await doctor(environment, '--json');
    expect(code).toBe(1);
    expect(lines[0]).toMatchObject({ id: 'settings', status: 'fail', found: expect.stringContaining(named) });
  });

  it('refuses a number of processes that is none', async () => {
    expect(await doctor({}, '--processes', 'many')).toMatchObject({ code: 2, out: '' });
  });
});
