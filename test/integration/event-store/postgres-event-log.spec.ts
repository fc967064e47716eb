import { randomUUID } from 'node:crypto';
import type { EventLog } from '#libs/engine';
import { connect, postgresEventLog, type Database } from '#libs/event-store';
import { describeEventLog } from '../../contracts/event-log.contract.js';
import { createTestDatabase, type TestDatabase } from '../../support/index.js';
import { memory, PROJECT, seedProject, seedRunningStep } from './seed.js';

describe('postgresEventLog', () => {
  let database: TestDatabase;
  let db: Database;
  let log: EventLog;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = connect({ url: database.url });
    log = postgresEventLog(db);
    await seedProject(db);
  }, 60_000);

  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  describeEventLog(() => ({
    log,
    runningStep: async () => {
      const stepRunId = `srn_${randomUUID()}`;
      await seedRunningStep(db, { runId: `run_${randomUUID()}`, stepRunId, fence: 3 });
      return { kind: 'step', id: stepRunId, fence: 3 };
    },
    modelCalls: async (fence) => {
      const [row] = await db.sql<
        { model_calls: number }[]
      >`select model_calls from step_run where step_run_id = ${fence.id}`;
      return row?.model_calls ?? -1;
    },
  }));

  it('works the same without prepared statements', async () => {
    const plain = connect({ url: database.url, prepare: false, poolSize: 2 });
    try {
      const [result] = await postgresEventLog(plain).append([
        { projectId: PROJECT, streamId: 'unprepared', events: [memory('a', '\u0000')] },
      ]);
      expect(result).toMatchObject({ status: 'appended', version: 1 });
    } finally {
      await plain.close();
    }
  });

  it('stores a unit again and again from several processes as one', async () => {
    const others = Array.from({ length: 4 }, () => connect({ url: database.url, poolSize: 2 }));
    try {
      const events = Array.from({ length: 30 }, (_, n) => memory('k', String(n)));
      const results = await Promise.all(
        others.map((other, index) => {
          const units = events.map((one, n) => ({ projectId: PROJECT, streamId: `many-${n % 7}`, events: [one] }));
          return postgresEventLog(other).append(index % 2 === 0 ? units : units.reverse());
        }),
      );
      expect(results.flat().every((result) => result.status === 'appended')).toBe(true);
      const [count] = await db.sql<{ n: number }[]>`select count(*) as n from event where stream_id like 'many-%'`;
      expect(count?.n).toBe(30);
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
  });

  it('reports a database that is away as retryable, at once', async () => {
    const away = connect({ url: 'postgres://nobody@127.0.0.1:1/none' });
    try {
      await expect(postgresEventLog(away).version(PROJECT, 'x')).rejects.toMatchObject({
        name: 'RetryableError',
        code: 'database_unavailable',
      });
      await expect(away.kysely.selectFrom('project').selectAll().execute()).rejects.toMatchObject({
        code: 'database_unavailable',
      });
    } finally {
      await away.close();
    }
  });
});
