import { randomUUID } from 'node:crypto';
import type { EventLog } from '#libs/engine';
import { connect, postgresEventLog, type Database } from '#libs/event-store';
import { describeEventLog } from '../../contracts/event-log.contract.js';
import { createTestDatabase, waitFor, type TestDatabase } from '../../support/index.js';
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

  it('numbers gaplessly and without deadlock when processes write to 50 streams in opposite orders', async () => {
    const others = Array.from({ length: 4 }, () => connect({ url: database.url, poolSize: 2 }));
    try {
      const streams = Array.from({ length: 50 }, (_, n) => `opposite-${n}`);
      await Promise.all(
        others.map(async (other, index) => {
          const own = postgresEventLog(other);
          const order = index % 2 === 0 ? streams : [...streams].reverse();
          for (let flight = 0; flight < 20; flight += 1) {
            const results = await own.append(
              order.map((streamId) => ({ projectId: PROJECT, streamId, events: [memory('k', `${flight}`)] })),
            );
            expect(results.every(({ status }) => status === 'appended')).toBe(true);
          }
        }),
      );
      const gaps = await db.sql`
        select stream_id from event where stream_id like 'opposite-%' group by stream_id
        having count(*) <> 80 or max(seq) <> 80 or count(distinct seq) <> 80`;
      expect([...gaps]).toEqual([]);
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
  });

  it('gives up a session that keeps a transaction open without doing anything', async () => {
    const impatient = connect({ url: database.url, poolSize: 1, statementTimeoutMs: 200 });
    try {
      let unlock: () => void = () => undefined;
      let isLocked = false;
      const stopped = impatient.sql.begin(async (tx) => {
        await tx`insert into stream (project_id, stream_id) values (${PROJECT}, 'abandoned')`;
        isLocked = true;
        await new Promise<void>((resolve) => {
          unlock = resolve;
        });
      });
      // What the driver says when the server ends the session depends on when it notices.
      const outcome = stopped.then(
        () => 'committed',
        () => 'refused',
      );
      await waitFor(() => isLocked);
      const [result] = await log.append([{ projectId: PROJECT, streamId: 'abandoned', events: [memory('k', 'v')] }]);
      expect(result).toMatchObject({ status: 'appended', version: 1 });
      unlock();
      expect(await outcome).toBe('refused');
    } finally {
      await impatient.close();
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
