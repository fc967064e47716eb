import { createServer, connect as connectSocket, type Socket } from 'node:net';
import { connect, isAbandonedTypeQuery, postgresEventLog, postgresRunStore, type Database } from '#libs/event-store';
import { createTestDatabase, waitFor, type TestDatabase } from '../../support/index.js';
import { memory, PROJECT, seedProject } from './seed.js';

const AWAY = { name: 'RetryableError', code: 'database_unavailable' };

/** A TCP relay to the test server that can fall silent, as a stopped Postgres does: sockets stay open, nothing answers. */
async function startRelay(target: URL) {
  const sockets: Socket[] = [];
  let isSilent = false;
  const server = createServer((client) => {
    const upstream = connectSocket(Number(target.port), target.hostname);
    sockets.push(client, upstream);
    client.on('data', (chunk) => void (isSilent || upstream.write(chunk)));
    upstream.on('data', (chunk) => void (isSilent || client.write(chunk)));
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(target);
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    url: url.href,
    silence: () => {
      isSilent = true;
    },
    /** Connections end with RST, as those of a server that was killed do; the next ones are served. */
    reset: () => {
      isSilent = false;
      for (const socket of sockets.splice(0)) socket.resetAndDestroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('connect', () => {
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

  it('gives numbers, RFC 3339 times in UTC and plain JSON', async () => {
    const [row] = await db.sql<{ big: number; cost: number; at: string; json: unknown; list: number[] }[]>`
      select 9007199254740991::bigint as big, 0.25::numeric as cost, '2026-11-29 22:00:00.123456+02'::timestamptz as at,
        '{"a":[1,null]}'::jsonb as json, array[1, 2]::bigint[] as list`;
    expect({ ...row }).toEqual({
      big: 9007199254740991,
      cost: 0.25,
      at: '2026-11-29T20:00:00.123456Z',
      json: { a: [1, null] },
      list: [1, 2],
    });
    await expect(db.sql`select 9007199254740993::bigint`).rejects.toThrow('does not fit');
  });

  it('writes and reads through Kysely as through postgres.js, in transactions too', async () => {
    const detail = { text: 'a\u0000\u0010\ud800', list: [true, false] };
    await db.kysely
      .transaction()
      .execute((tx) =>
        tx
          .insertInto('audit_log')
          .values({ project_id: PROJECT, actor: 'a', action: 'b', subject: 'c', detail })
          .execute(),
      );
    const rolledBack = db.kysely.transaction().execute(async (tx) => {
      await tx
        .insertInto('audit_log')
        .values({ project_id: PROJECT, actor: 'x', action: 'b', subject: 'c', detail })
        .execute();
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    const rows = await db.kysely.selectFrom('audit_log').select(['actor', 'detail', 'audit_id']).execute();
    expect(rows).toEqual([{ actor: 'a', detail, audit_id: expect.any(Number) }]);
    const deleted = await db.kysely.deleteFrom('audit_log').executeTakeFirst();
    expect(deleted.numDeletedRows).toBe(1n);
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
      const given = one.sql`select 1 as n`.then(
        () => [],
        () => [2, 3].map((n) => one.sql`select ${n}::int as n`.execute()),
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

  it('bounds a wait for a lock, and a transaction that is over writes nothing', async () => {
    const impatient = connect({ url: database.url, poolSize: 2, operationTimeoutMs: 300 });
    const runs = postgresRunStore(impatient);
    const log = postgresEventLog(db);
    await log.append([{ projectId: PROJECT, streamId: 'locked', events: [memory('a', '1')] }]);
    let unlock: () => void = () => undefined;
    let isLocked = false;
    const holder = db.sql.begin(async (tx) => {
      await tx`select from stream where stream_id = 'locked' for update`;
      isLocked = true;
      await new Promise<void>((resolve) => {
        unlock = resolve;
      });
    });
    try {
      await waitFor(() => isLocked);
      let isWorkOver = false;
      const late = runs.transact(async (tx) => {
        try {
          await tx.lockStreams(PROJECT, ['locked']);
          await tx.append([{ projectId: PROJECT, streamId: 'late', events: [memory('a', '1')] }]);
        } finally {
          isWorkOver = true;
        }
      });
      await expect(late).rejects.toMatchObject(AWAY);
      unlock();
      await holder;
      await waitFor(() => isWorkOver);
    } finally {
      unlock();
      await impatient.close();
    }
    expect(await log.version(PROJECT, 'late')).toBeNull();
  });

  it('works without prepared statements, through Kysely too', async () => {
    const plain = connect({ url: database.url, prepare: false, poolSize: 1 });
    try {
      const rows = await plain.kysely
        .selectFrom('project')
        .select('project_id')
        .where('project_id', '=', PROJECT)
        .execute();
      expect(rows).toEqual([{ project_id: PROJECT }]);
      const [named] = await plain.sql<{ n: number }[]>`select count(*) as n from pg_prepared_statements`;
      expect(named?.n).toBe(0);
    } finally {
      await plain.close();
    }
  });

  it('gives a transaction its connection behind a full pipeline', async () => {
    const one = connect({ url: database.url, poolSize: 1 });
    await one.sql`select ${0}::int as n`;
    // From below postgres.js's `max_pipeline` to above it.
    for (const length of [99, 100, 101]) {
      const before = Array.from({ length }, (_, n) => one.sql`select ${n}::int as n`.execute());
      const within = one.sql.begin((sql) => sql`select pg_current_xact_id()::text as id`);
      const [[inside]] = await Promise.all([within, ...before]);
      const [[outside]] = await Promise.all([one.sql`select pg_current_xact_id()::text as id`]);
      expect(outside?.['id']).not.toBe(inside?.['id']);
    }
    await one.close();
  });
});
