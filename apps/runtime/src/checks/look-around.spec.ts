import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { connect, schemaStanding, type Database } from '#libs/event-store';
import { inspectQueue } from '#libs/queue';
import { createTestDatabase, describeRedis, type TestDatabase } from '../../../../test/support/index.js';
import { ownRedis } from '../../../../test/support/own-redis.js';
import { judgeSpace } from './check-data-dir.js';
import { lookAround, type Surroundings } from './look-around.js';

/** Every check is broken once on real servers, as far as a server can be made to be wrong. */
describeRedis('the checks of what Weir stands on', () => {
  let folder: string;
  let test: TestDatabase;
  let database: Database;
  let redis: Redis;
  let redisUrl: string;
  let stopRedis: () => Promise<void>;

  beforeAll(async () => {
    const server = await ownRedis();
    folder = server.folder;
    test = await createTestDatabase();
    database = connect({ url: test.url, poolSize: 1, applicationName: 'checks' });
    redisUrl = server.url;
    redis = new Redis(redisUrl);
    await redis.config('SET', 'maxmemory', '100mb');
    stopRedis = async () => {
      redis.disconnect();
      await server.stop();
    };
  });
  afterAll(async () => {
    await stopRedis();
    await database.close();
    await test.drop();
  });

  const around = (changes: Partial<Surroundings> = {}, db = database, url = redisUrl): Surroundings => ({
    settings: { database: { url: test.url, poolSize: 1, prepare: true }, dataDir: folder },
    database: db,
    schema: () => schemaStanding(db),
    queue: {
      kind: 'redis',
      health: () => inspectQueue({ kind: 'redis', url, prefix: 'checks', commandTimeoutMs: 1000 }, changes.nowMs),
    },
    storedBackend: () => Promise.resolve('redis'),
    storedEpoch: () => Promise.resolve('epoch-1'),
    processes: 3,
    ...changes,
  });
  const finding = async (id: string, changes: Partial<Surroundings> = {}, db = database, url = redisUrl) =>
    (await lookAround(around(changes, db, url))).find((one) => one.id === id);

  it('find everything well where everything is', async () => {
    await redis.set('{checks}:epoch', 'epoch-1');
    const findings = await lookAround(around());
    const notFine = findings.filter(({ status }) => status !== 'ok').map(({ id }) => id);
    // The server of the tests writes nothing to disk, and others' tests and files are on the machine too.
    const ofTheMachine = ['database_durability', 'database_connections', 'database_transactions', 'data_dir'];
    expect(notFine.filter((id) => !ofTheMachine.includes(id))).toEqual([]);
    expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
  });

  it('see a Redis that may evict keys, is full, or is a replica', async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await finding('redis_eviction')).toMatchObject({ status: 'fail', isNeeded: true });
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await redis.config('SET', 'maxmemory', '1');
    expect(await finding('redis_memory')).toMatchObject({ status: 'fail', isNeeded: false });
    await redis.config('SET', 'maxmemory', '0');
    expect(await finding('redis_memory')).toMatchObject({ status: 'warn' });
    await redis.config('SET', 'maxmemory', '100mb');
    await redis.replicaof('127.0.0.1', 1);
    expect(await finding('redis_role')).toMatchObject({ status: 'fail', isNeeded: true });
    await redis.replicaof('NO', 'ONE');
    expect(await finding('redis_role')).toMatchObject({ status: 'ok' });
  });

  it('see that Redis is away, and what of the queue differs', async () => {
    expect(await finding('redis', {}, database, 'redis://127.0.0.1:1')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('ECONNREFUSED'),
      advice: expect.stringContaining('REDIS_URL'),
    });
    expect(await finding('queue_backend', { storedBackend: () => Promise.resolve('postgres') })).toMatchObject({
      status: 'fail',
      isFinal: true,
    });
    expect(await finding('queue_epoch', { storedEpoch: () => Promise.resolve('epoch-2') })).toMatchObject({
      status: 'warn',
      advice: expect.stringContaining('WEIR_QUEUE_PREFIX'),
    });
    await redis.flushall();
    expect(await finding('queue_epoch')).toMatchObject({ status: 'warn', found: 'Redis has lost its data' });
  });

  it('see clocks that differ from this one', async () => {
    const nowMs = () => Date.now() - 300_000;
    for (const id of ['database_clock', 'redis_clock'])
      expect(await finding(id, { nowMs })).toMatchObject({
        status: 'fail',
        found: expect.stringContaining('ahead of this machine'),
        isNeeded: false,
      });
    expect(await finding('database_clock', { nowMs: () => Date.now() + 10_000 })).toMatchObject({ status: 'warn' });
  });

  it('see a database that is away, and say nothing of its inside', async () => {
    const away = connect({ url: 'postgres://weir:hunter2@127.0.0.1:1/none', poolSize: 1 });
    const findings = await lookAround(around({}, away));
    await away.close();
    expect(findings[0]).toMatchObject({ id: 'database', status: 'fail', isNeeded: true });
    expect(findings.filter(({ id }) => id.startsWith('database_') || id === 'schema')).toEqual([]);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });

  it('see a schema that is missing, an encoding that loses text, commits that may be lost', async () => {
    const name = `${test.name}_ascii`;
    await database.sql.unsafe(
      `create database ${name} encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0`,
    );
    await database.sql.unsafe(`alter database ${name} set synchronous_commit = off`);
    const url = new URL(test.url);
    url.pathname = `/${name}`;
    const ascii = connect({ url: url.href, poolSize: 1 });
    const findings = await lookAround(around({}, ascii));
    await ascii.close();
    await database.sql.unsafe(`drop database ${name}`);
    const of = (id: string) => findings.find((one) => one.id === id);
    expect(of('schema')).toMatchObject({ status: 'fail', advice: expect.stringContaining('weir migrate') });
    expect(of('database_encoding')).toMatchObject({ status: 'fail', isNeeded: true });
    expect(of('database_durability')).toMatchObject({
      status: 'warn',
      found: expect.stringContaining('synchronous_commit'),
    });
  });

  it('count the connections of the processes that there will be', async () => {
    expect(await finding('database_connections', { processes: 10_000 })).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('10000 processes × 1'),
      advice: expect.stringContaining('WEIR_POOL_SIZE'),
    });
  });

  it('see that nothing bounds transactions behind a pooler', async () => {
    const pooled = connect({ url: test.url, poolSize: 1, prepare: false });
    const settings = { database: { url: test.url, poolSize: 1, prepare: false }, dataDir: folder };
    const findings = await lookAround(around({ settings }, pooled));
    await pooled.close();
    expect(findings.find(({ id }) => id === 'database_timeouts')).toMatchObject({ status: 'warn' });
  });

  it('see the transaction that holds the feed back, and who has it', async () => {
    const other = connect({ url: test.url, poolSize: 1, applicationName: 'a forgotten psql' });
    await other.sql.begin(async (sql) => {
      await sql`select pg_current_xact_id()`;
      expect(await finding('database_transactions')).toMatchObject({
        status: 'ok',
        found: expect.stringContaining('s old ('),
      });
    });
    await other.close();
  });

  it('see a data folder that is none, and a disk that fills up', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const settings = { database: { url: test.url, poolSize: 1, prepare: true }, dataDir: file };
    expect(await finding('data_dir', { settings })).toMatchObject({ status: 'fail' });
    const below = { ...settings, dataDir: join(file, 'below') };
    expect(await finding('data_dir', { settings: below })).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('ENOTDIR'),
    });
    expect([2 ** 31, 2 ** 29, 2 ** 20].map((bytes) => judgeSpace('.', bytes).status)).toEqual(['ok', 'warn', 'fail']);
  });
});
