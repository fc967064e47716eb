import { randomUUID } from 'node:crypto';
import type { EventLog } from '#libs/engine';
import {
  connect,
  parseFeedCursor,
  postgresEventLog,
  readRunEvents,
  type Database,
  type ReadRunEvents,
} from '#libs/event-store';
import { createTestDatabase, waitFor, type TestDatabase } from '../../support/index.js';
import { memory, PROJECT, seedProject, userMessage } from './seed.js';

describe('the feed of a run', () => {
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

  const feed = (
    query: Pick<ReadRunEvents, 'runId'> & { after?: string | null; types?: ReadRunEvents['types']; limit?: number },
  ) =>
    readRunEvents(db.kysely, { projectId: PROJECT, limit: 100, ...query, after: parseFeedCursor(query.after ?? '') });
  // Transactions of other databases on the test server hold the feed back too, so tests wait for what they appended.
  const feedOf = (count: number, query: Parameters<typeof feed>[0]) =>
    waitFor(async () => {
      const events = await feed(query);
      return events.length >= count ? events : null;
    });

  it('pages through the events of a run over all of its streams, in order', async () => {
    const runId = `run_${randomUUID()}`;
    const streamId = `chat-${randomUUID()}`;
    for (let n = 0; n < 7; n += 1) {
      await log.append([
        {
          projectId: PROJECT,
          streamId: n % 2 === 0 ? streamId : `${streamId}:step:a`,
          events: [memory('n', String(n), { runId })],
        },
        { projectId: PROJECT, streamId: `${streamId}x`, events: [memory('other', '', { runId: 'run_other' })] },
      ]);
    }
    await feedOf(7, { runId });
    const seen: unknown[] = [];
    let after: string | null = null;
    for (let page = await feed({ runId, limit: 3 }); page.length > 0; page = await feed({ runId, after, limit: 3 })) {
      seen.push(...page.map((event) => event.data));
      after = page.at(-1)?.cursor ?? null;
    }
    expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => ({ key: 'n', value: String(n) })));
  });

  it('filters by type and reads large bodies whole', async () => {
    const runId = `run_${randomUUID()}`;
    const text = `\u0000${'z'.repeat(50_000)}`;
    await log.append([
      { projectId: PROJECT, streamId: runId, events: [memory('a', '1', { runId }), userMessage(text, { runId })] },
    ]);
    const [message] = await feedOf(1, { runId, types: ['UserMessageReceived'] });
    expect(message?.type === 'UserMessageReceived' && message.data.content === text).toBe(true);
  });

  it('never skips an event whose transaction commits late', async () => {
    const runId = `run_${randomUUID()}`;
    const append = (name: string) =>
      log.append([{ projectId: PROJECT, streamId: `${runId}-${name}`, events: [memory(name, '', { runId })] }]);
    const data = (page: { data: unknown }[]) => page.map((event) => event.data);
    let commit: () => void = () => undefined;
    const late = db.sql.begin(async (tx) => {
      await tx`insert into event (project_id, stream_id, seq, event_id, type, schema_version, run_id, data, digest)
        values (${PROJECT}, ${runId}, 1, ${randomUUID()}, 'MemoryWritten', 1, ${runId}, '{"key":"late","value":""}', 'd')`;
      await new Promise<void>((resolve) => {
        commit = resolve;
      });
    });
    await waitFor(async () => {
      const [row] = await db.sql<
        { n: number }[]
      >`select count(*) as n from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`;
      return row?.n === 1 ? true : null;
    });
    await append('early');
    // Later in the feed than the open transaction, so it waits for it.
    expect(await feed({ runId })).toEqual([]);
    commit();
    await late;
    await append('last');
    const page = await feedOf(3, { runId });
    expect(data(page)).toEqual(['late', 'early', 'last'].map((key) => ({ key, value: '' })));
    expect(await feed({ runId, after: page[0]?.cursor ?? null })).toHaveLength(2);
  });

  it('misses nothing when a reader polls while 10 writers append', async () => {
    const runId = `run_${randomUUID()}`;
    const writers = Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        const own = connect({ url: database.url, poolSize: 1 });
        for (let n = 0; n < 20; n += 1) {
          await postgresEventLog(own).append([
            {
              projectId: PROJECT,
              streamId: `${runId}-${writer % 3}`,
              events: [memory(`${writer}`, `${n}`, { runId })],
            },
          ]);
        }
        await own.close();
      }),
    );
    const seen: string[] = [];
    let after: string | null = null;
    // A skipped event would never come: the loop would end by its time-out.
    await waitFor(async () => {
      const page = await feed({ runId, after, limit: 10_000 });
      seen.push(...page.map((event) => event.eventId));
      after = page.at(-1)?.cursor ?? after;
      return seen.length >= 200 ? true : null;
    });
    await writers;
    expect(new Set(seen).size).toBe(200);
    expect(await feed({ runId, after })).toEqual([]);
  });

  it('refuses what is not a cursor', () => {
    for (const text of ['', 'x', '1', '1-', '-1', '99999999999999999999-1', "1-1'"])
      expect(parseFeedCursor(text)).toBeNull();
    expect(parseFeedCursor('12-34')).toEqual({ xact: '12', position: '34' });
  });
});
