import { connect, postgresRunStore, switchQueueBackend, type Database } from '#libs/event-store';
import { createTestDatabase, type TestDatabase } from '../../support/index.js';

describe('switchQueueBackend', () => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = connect({ url: database.url, poolSize: 2 });
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  it('lets the next processes use another queue, with a new epoch', async () => {
    const runs = postgresRunStore(db);
    expect(await db.run((sql) => switchQueueBackend(sql, 'redis'))).toBe(false);
    await runs.installationFact('queue_backend', 'postgres');
    await runs.installationFact('queue_epoch', 'first');
    expect(await db.run((sql) => switchQueueBackend(sql, 'postgres'))).toBe(false);
    expect(await runs.installationFact('queue_epoch', 'second')).toBe('first');
    expect(await db.run((sql) => switchQueueBackend(sql, 'redis'))).toBe(true);
    expect(await runs.installationFact('queue_backend', 'postgres')).toBe('redis');
    expect(await runs.installationFact('queue_epoch', 'third')).toBe('third');
  });
});
