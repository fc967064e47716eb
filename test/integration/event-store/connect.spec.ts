import { connect, postgresEventLog, postgresRunStore, type Database } from '#libs/event-store';
import { createTestDatabase, waitFor, type TestDatabase } from '../../support/index.js';
import { memory, PROJECT, seedProject } from './seed.js';

const AWAY = { name: 'RetryableError', code: 'database_unavailable' };

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

  it('takes dedicated connections out of those it was given, and none where they are few or nothing is prepared', async () => {
    for (const { settings, perKind } of [
      { settings: { poolSize: 10 }, perKind: { pool: 7, ends: 1, appends: 1, claims: 1 } },
      { settings: { poolSize: 5 }, perKind: { pool: 5, ends: 5, appends: 5, claims: 5 } },
      { settings: { poolSize: 10, prepare: false }, perKind: { pool: 10, ends: 10, appends: 10, claims: 10 } },
    ]) {
      const own = connect({ url: database.url, ...settings });
      const pools = { pool: own.sql, ...own.dedicated };
      const pids = new Set<number | undefined>();
      const used: Record<string, number> = {};
      for (const [kind, sql] of Object.entries(pools)) {
        const asked = Array.from(
          { length: 40 },
          () => sql<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(0.01)`,
        );
        const mine = new Set((await Promise.all(asked)).map(([row]) => row?.pid));
        used[kind] = mine.size;
        for (const pid of mine) pids.add(pid);
      }
      expect(used).toEqual(perKind);
      expect(pids.size).toBe(settings.poolSize);
      await own.close();
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
