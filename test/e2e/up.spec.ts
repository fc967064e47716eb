import { statSync } from 'node:fs';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { join } from 'node:path';
import { createDataDir, describeRedis, npmStart, startUp, waitFor, waitUntilGone } from '../support/index.js';

const quiet = ['--no-demo', '--embedded'];
/** A start takes seconds; on a machine that is busy with other tests a minute. */
const BUSY_MS = 180_000;

async function statusOf(url: string, apiKey: string): Promise<number> {
  const response = await fetch(`${url}/v1/pipelines`, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.arrayBuffer();
  return response.status;
}

describe('weir up', () => {
  let dataDir: ReturnType<typeof createDataDir>;
  beforeAll(() => {
    dataDir = createDataDir();
  });
  afterAll(() => dataDir.remove());

  it(
    'ends by itself with --once and leaves nothing',
    async () => {
      const up = startUp(dataDir.path, ['--once', ...quiet]);
      const ready = await up.ready();
      expect(await up.exited).toBe(0);
      expect(ready).toMatchObject({ queue_backend: 'postgres', redis_url: null, data_dir: dataDir.path });
      expect(up.lines.at(-1)).toEqual({ event: 'stopped', exit_code: 0 });
      expect(statSync(join(dataDir.path, 'key')).mode & 0o777).toBe(0o600);
      await waitUntilGone(ready);
    },
    BUSY_MS,
  );

  describe('that runs', () => {
    let up: ReturnType<typeof startUp>;
    let ready: Awaited<ReturnType<(typeof up)['ready']>>;
    beforeAll(async () => {
      up = startUp(dataDir.path, quiet);
      ready = await up.ready();
    }, BUSY_MS);
    afterAll(async () => {
      up.kill('SIGTERM');
      expect(await up.exited).toBe(0);
    });

    it(
      'refuses a second start on the same data folder, and survives it',
      async () => {
        const second = startUp(dataDir.path, ['--once', ...quiet]);
        expect(await second.exited).toBe(1);
        expect(second.lines).toMatchObject([
          { event: 'failed', code: 'data_dir_locked' },
          { event: 'stopped', exit_code: 1 },
        ]);
        expect(await statusOf(ready.url, ready.api_key)).toBe(200);
        expect(await statusOf(ready.url, 'weir_wrong')).toBe(401);
      },
      BUSY_MS,
    );

    it(
      'has a port that another one reports as taken',
      async () => {
        const other = createDataDir();
        const refused = startUp(other.path, ['--once', ...quiet, '--port', new URL(ready.url).port]);
        expect(await refused.exited).toBe(1);
        expect(refused.lines[0]).toMatchObject({ event: 'failed', code: 'port_in_use' });
        other.remove();
      },
      BUSY_MS,
    );

    it('shows its documentation under a policy that keeps to its own scripts', async () => {
      const page = await fetch(`${ready.url}/docs`);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
      const scripts = (await page.text()).match(/<script[^>]*>/g) ?? [];
      const sources = scripts.map((tag) => /src="([^"]+)"/.exec(tag)?.[1] ?? 'inline');
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) expect((await fetch(new URL(source, `${ready.url}/docs`))).status).toBe(200);
      const answer = await fetch(`${ready.url}/version`);
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    });
  });

  it(
    'leaves nothing after kill -9, and starts again with the same key',
    async () => {
      const killed = startUp(dataDir.path, quiet);
      const before = await killed.ready();
      killed.kill('SIGKILL');
      await waitUntilGone(before);
      const again = startUp(dataDir.path, quiet);
      const after = await again.ready();
      expect(after.api_key).toBe(before.api_key);
      expect(await statusOf(after.url, after.api_key)).toBe(200);
      again.kill('SIGINT');
      expect(await again.exited).toBe(0);
      await waitUntilGone(after);
    },
    BUSY_MS,
  );

  it(
    'leaves nothing when npm is killed, which tells its children nothing',
    async () => {
      const npm = npmStart(dataDir.path, quiet);
      const ready = await npm.ready();
      npm.kill('SIGKILL');
      await waitUntilGone(ready);
    },
    BUSY_MS,
  );

  it(
    'ends in order when npm is interrupted',
    async () => {
      const npm = npmStart(dataDir.path, quiet);
      const ready = await npm.ready();
      npm.kill('SIGINT');
      await npm.exited;
      expect(npm.lines.at(-1)).toEqual({ event: 'stopped', exit_code: 0 });
      await waitUntilGone(ready);
    },
    BUSY_MS,
  );

  describeRedis('on a machine with Redis', () => {
    it(
      'takes it, also on data that were started without',
      async () => {
        const up = startUp(dataDir.path, ['--once', '--no-demo', '--workers', '2']);
        const ready = await up.ready();
        expect(ready).toMatchObject({ queue_backend: 'redis', redis_url: expect.stringMatching(/^redis:/) as unknown });
        expect(ready.pids.worker).toHaveLength(2);
        expect(await up.exited).toBe(0);
        await waitUntilGone(ready);
      },
      BUSY_MS,
    );

    it(
      'starts its Postgres and its Redis again when they are killed, where they were',
      async () => {
        const up = startUp(dataDir.path, ['--no-demo']);
        const ready = await up.ready();
        const redis = new Redis(ready.redis_url ?? '', { lazyConnect: true });
        const sql = postgres(ready.postgres_url, { max: 1 });
        await redis.connect();
        const [, redisPid] = /process_id:(\d+)/.exec(await redis.info('server')) ?? [];
        const [file] = await sql<{ pid: string }[]>`select split_part(pg_read_file('postmaster.pid'), E'\n', 1) as pid`;
        redis.disconnect();
        await sql.end();
        for (const pid of [redisPid, file?.pid]) process.kill(Number(pid), 'SIGKILL');
        const isReady = async (): Promise<boolean> => (await fetch(`${ready.url}/health/ready`)).ok;
        await waitFor(async () => !(await isReady()), { what: 'the API to miss its servers' });
        await waitFor(isReady, { what: 'the servers to be back', timeoutMs: 60_000 });
        const restarted = up.log().match(/a server ended unexpectedly/g);
        expect(restarted).toHaveLength(2);
        up.kill('SIGTERM');
        expect(await up.exited).toBe(0);
        await waitUntilGone(ready);
      },
      BUSY_MS,
    );
  });
});
