import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, dumpSchema, migrationsFolder, type Database } from '#libs/event-store';
import { createTestDatabase, type TestDatabase } from '../../support/index.js';

describe('migrations/schema.sql', () => {
  let database: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = connect({ url: database.url, poolSize: 1 });
  }, 60_000);

  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  it('is what the migrations make (else run `npm run schema:dump`)', async () => {
    // Another schema's tables (BullMQ's backend) do not count.
    await db.sql.unsafe('create schema bullmq; create table bullmq.job (id bigint primary key)');
    expect(await dumpSchema(db.sql)).toBe(await readFile(join(migrationsFolder(), 'schema.sql'), 'utf8'));
  });
});
