import { connect, migrate, schemaStanding, type Database, type MigrateOptions } from '#libs/event-store';
import { createTestDatabase, type TestDatabase } from '../../support/index.js';

type Migrations = NonNullable<MigrateOptions['migrations']>;

describe('migrate', () => {
  let database: TestDatabase;
  let db: Database;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
    db = connect({ url: database.url, poolSize: 2 });
  }, 60_000);

  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  const first = { version: 1, name: '0001_a.sql', text: 'create table a (id int)', checksum: 'c1', breaking: false };
  const second = { version: 2, name: '0002_b.sql', text: 'create table b (id int)', checksum: 'c2', breaking: false };
  const run = (migrations: Migrations) => migrate(database.url, { migrations });
  const tables = async () =>
    (await db.sql<{ tablename: string }[]>`select tablename from pg_tables where schemaname = 'public' order by 1`).map(
      (row) => row.tablename,
    );

  it('applies the released files once, however many processes do it at the same time', async () => {
    const logged: string[] = [];
    const applied = await Promise.all(
      Array.from({ length: 4 }, () => migrate(database.url, { log: (message) => logged.push(message) })),
    );
    expect(applied.filter((names) => names.includes('0001_core.sql'))).toHaveLength(1);
    expect(logged).toContain('applied migration 0001_core.sql');
    expect(await tables()).toContain('step_run');
  });

  it('applies what is missing, in order', async () => {
    expect(await run([first])).toEqual(['0001_a.sql']);
    expect(await run([first, second])).toEqual(['0002_b.sql']);
    expect(await run([first, second])).toEqual([]);
  });

  it('says whether a process can work with the schema as it is', async () => {
    expect(await schemaStanding(db)).toMatchObject({ ok: false, detail: expect.stringContaining('weir migrate') });
    await migrate(database.url);
    expect(await schemaStanding(db)).toMatchObject({ ok: true });
    const newer = { version: 9999, name: '9999_later.sql', checksum: 'c', breaking: false };
    await db.sql`insert into schema_migration ${db.sql(newer)}`;
    expect(await schemaStanding(db)).toMatchObject({ ok: true });
    await db.sql`update schema_migration set breaking = true where version = 9999`;
    await expect(schemaStanding(db)).rejects.toMatchObject({ code: 'schema_too_new' });
  });

  it('refuses a file that was changed after it had been applied', async () => {
    await run([first]);
    await expect(run([{ ...first, checksum: 'other' }])).rejects.toMatchObject({
      code: 'migration_changed',
      details: { migration: '0001_a.sql' },
    });
  });

  it('refuses a schema with a breaking migration that it does not know, and tolerates others', async () => {
    await run([first, second]);
    expect(await run([first])).toEqual([]);
    await run([first, second, { ...second, version: 3, name: '0003_c.sql', text: 'select 1', breaking: true }]);
    await expect(run([first, second])).rejects.toMatchObject({
      code: 'schema_too_new',
      details: { migration: '0003_c.sql' },
    });
  });

  it('leaves nothing of a file that fails half way', async () => {
    await expect(run([first, { ...second, text: 'create table b (id int); select nonsense' }])).rejects.toThrow(
      'nonsense',
    );
    expect(await tables()).toEqual(['a', 'schema_migration']);
    expect(await run([first, second])).toEqual(['0002_b.sql']);
  });
});
