import { createServer } from 'node:net';
import postgres from 'postgres';
import { connect, isAbandonedTypeQuery, postgresEventLog, postgresRunStore, type Database } from '#libs/event-store';
import { createTestDatabase, waitFor, type TestDatabase } from '../../support/index.js';
import { startRelay } from './relay.js';
import { memory, PROJECT, seedProject } from './seed.js';

const AWAY = { name: 'RetryableError', code: 'database_unavailable' };

describe('connections that are lost', () => {
  let database: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = connect({ url: database.url, poolSize: 4 });
    await seedProject(db);
  }, 60_000);

  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  it('reports a database that has fallen silent within the time-out', async () => {
    const relay = await startRelay(new URL(database.url));
    const relayed = connect({ url: relay.url, poolSize: 2, operationTimeoutMs: 300, connectTimeoutMs: 300 });
    const [log, runs] = [postgresEventLog(relayed), postgresRunStore(relayed)];
    try {
      expect(await log.version(PROJECT, 'none')).toBeNull();
      relay.silence();
      await expect(log.version(PROJECT, 'none')).rejects.toMatchObject(AWAY);
      await expect(
        log.append([{ projectId: PROJECT, streamId: 'silent', events: [memory('a', '1')] }]),
      ).rejects.toMatchObject(AWAY);
      await expect(runs.transact((tx) => tx.lockRun(PROJECT, 'none'))).rejects.toMatchObject(AWAY);
      await expect(relayed.kysely.selectFrom('project').selectAll().execute()).rejects.toMatchObject(AWAY);
    } finally {
      relay.close();
      await relayed.close();
    }
  });

  it('asks over another connection whether a database is silent, long before an operation has had its time', async () => {
    const relay = await startRelay(new URL(database.url));
    const relayed = connect({ url: relay.url, poolSize: 2, suspectMs: 20, probeMs: 3000, operationTimeoutMs: 600_000 });
    try {
      // Slow, and the server answers the question meanwhile.
      await relayed.run((sql) => sql`select pg_sleep(0.2)`);
      relay.silence();
      const waiting = await Promise.allSettled([1, 2, 3, 4].map(() => relayed.run((sql) => sql`select 1`)));
      const silent = { status: 'rejected', reason: { ...AWAY, details: { reason: 'silence' } } };
      expect(waiting).toMatchObject([silent, silent, silent, silent]);
    } finally {
      relay.close();
      await relayed.close();
    }
  });

  it('knows the rejection that the driver leaves to nobody when a connection ends while it is opened', () => {
    const rejected = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
    const asked = (query: string) =>
      isAbandonedTypeQuery(Object.defineProperty(rejected, 'query', { value: query, configurable: true }));
    expect(asked('select b.oid from pg_catalog.pg_type a')).toBe(true);
    expect(asked('select 1')).toBe(false);
    expect(isAbandonedTypeQuery(new Error('a bug'))).toBe(false);
  });

  it('reports a server that accepts connections and says nothing', async () => {
    const relay = await startRelay(new URL(database.url));
    relay.silence();
    const relayed = connect({ url: relay.url, poolSize: 1, connectTimeoutMs: 200 });
    try {
      await expect(postgresEventLog(relayed).version(PROJECT, 'none')).rejects.toMatchObject(AWAY);
    } finally {
      relay.close();
      await relayed.close();
    }
  });

  it('asks once for each operation at a server that hangs up on everybody, as a proxy does without its Postgres', async () => {
    let connections = 0;
    const server = createServer((client) => {
      connections += 1;
      client.on('error', () => undefined).destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const away = connect({ url: `postgres://postgres@127.0.0.1:${port}/weir`, poolSize: 1 });
    const statement = () => away.run((sql) => sql`select 1`);
    const transaction = () => away.kysely.transaction().execute((tx) => tx.selectFrom('project').selectAll().execute());
    for (const [before, ask] of [statement, statement, transaction, transaction, statement].entries()) {
      await expect(ask()).rejects.toMatchObject(AWAY);
      expect(connections).toBe(before + 1);
    }
    await away.close();
    await new Promise((resolve) => server.close(resolve));
  });

  it('uses the next connection when the server closed the last one', async () => {
    const own = connect({ url: database.url, poolSize: 1, applicationName: 'to-be-closed' });
    const terminate = () =>
      db.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to-be-closed' and datname = current_database()`;
    try {
      await postgresEventLog(own).version(PROJECT, 'none');
      const sleeping = own.run((sql) => sql`select pg_sleep(30)`);
      const outcome = expect(sleeping).rejects.toMatchObject(AWAY);
      await waitFor(async () => {
        const [row] = await db.sql<
          { n: number }[]
        >`select count(*) as n from pg_stat_activity where application_name = 'to-be-closed' and state = 'active'`;
        return row?.n === 1;
      });
      await terminate();
      await outcome;
      // A statement that meets the closing connection fails the same way; the caller's next try has a new one.
      expect(await waitFor(async () => ({ version: await postgresEventLog(own).version(PROJECT, 'none') }))).toEqual({
        version: null,
      });
    } finally {
      await own.close();
    }
  });

  // Without libs/event-store/patches it hangs, and with it whatever this connection is given later.
  it('rejects a statement that it is given when its connection has failed and is not closed yet', async () => {
    const relay = await startRelay(new URL(database.url));
    const one = connect({ url: relay.url, poolSize: 1 });
    try {
      await one.sql`select 1 as n`;
      relay.silence();
      // It fails at the socket's `error`; `close` comes in a later turn of the loop.
      const given: Promise<Promise<unknown>[]> = one.sql`select 1 as n`.then(
        () => [],
        () => [2, 3].map(async (n) => await one.sql`select ${n}::int as n`),
      );
      relay.reset();
      const outcomes = await Promise.allSettled(await given);
      expect(outcomes).toMatchObject([
        { status: 'rejected', reason: { code: 'CONNECTION_CLOSED' } },
        { status: 'fulfilled', value: [{ n: 3 }] },
      ]);
      for (const n of [4, 5]) expect(await one.run((sql) => sql`select ${n}::int as n`)).toEqual([{ n }]);
    } finally {
      relay.close();
      await one.close();
    }
  });

  // A dedicated connection that grew old would make everything that leaves by it wait: libs/event-store/patches.
  it('opens a connection that has grown old again at once, however long it waits after a loss', async () => {
    const one = postgres(database.url, { max: 1, max_lifetime: 0.05, backoff: () => 3600 });
    try {
      const pids = new Set<unknown>();
      await waitFor(async () => {
        const [row] = await one`select pg_backend_pid() as pid`;
        return pids.add(row?.['pid']).size === 3;
      });
    } finally {
      await one.end();
    }
  });

  // The driver would end the whole process here: libs/event-store/patches.
  it('ends a transaction whose connection the server has closed between two statements, and uses the next one', async () => {
    const own = connect({ url: database.url, poolSize: 1, applicationName: 'to-be-lost' });
    const open = () =>
      db.sql`select from pg_stat_activity where application_name = 'to-be-lost' and datname = current_database()`;
    try {
      const said: unknown[] = [];
      const lost = own.run((sql) =>
        sql.begin(async (tx) => {
          await tx`select 1`;
          await db.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to-be-lost' and datname = current_database()`;
          await waitFor(async () => (await open()).length === 0);
          await tx`insert into project (project_id, name) values ('prj_lost', 'lost')`.catch((error: unknown) =>
            said.push(error),
          );
        }),
      );
      await expect(lost).rejects.toMatchObject(AWAY);
      await waitFor(() => said.length === 1);
      expect(await waitFor(() => own.run((sql) => sql`select 1 as one`))).toEqual([{ one: 1 }]);
      // Not outside of its transaction either.
      expect(await db.sql`select from project where project_id = 'prj_lost'`).toHaveLength(0);
    } finally {
      await own.close();
    }
  });
});
