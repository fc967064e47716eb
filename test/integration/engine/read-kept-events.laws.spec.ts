import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { isOutlineEnough, lastBuildOf } from '#libs/context';
import type { Content, StoredEvent } from '#libs/domain';
import { readKeptEvents, type EventLog } from '#libs/engine';
import { connect, postgresEventLog, type Database } from '#libs/event-store';
import { canonicalOf } from '../../../libs/context/src/testing/incremental-law.js';
import { lawRuns } from '../../../libs/context/src/testing/law-runs.js';
import { playPlan } from '../../../libs/context/src/testing/play-plan.js';
import { randomPlan } from '../../../libs/context/src/testing/random-plan.js';
import { sessionUnder, windowPolicy, type Session } from '../../../libs/context/src/testing/session.js';
import { createTestDatabase, type TestDatabase } from '../../support/index.js';
import { PROJECT, seedProject } from '../event-store/seed.js';

let database: TestDatabase;
let db: Database;
let log: EventLog;
/** The same of a commit each time. */
const SEED = 20_261_130;
/** So that the sessions have been of all kinds: results of which only the outline was read, and reads that did not suffice. */
const seen = { outlines: 0, more: 0 };

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

/** The session's events on a stream of their own. */
async function stored(events: readonly StoredEvent[]): Promise<{ projectId: string; streamId: string }> {
  const place = { projectId: PROJECT, streamId: `session-${randomUUID()}` };
  const [result] = await log.append([
    {
      ...place,
      events: events.map(({ type, schemaVersion, data, chars, digest, runId, stepId, item, round }) => ({
        type,
        eventId: randomUUID(),
        schemaVersion,
        data,
        json: JSON.stringify(data),
        chars,
        digest,
        runId,
        stepId,
        item,
        round,
      })),
    },
  ]);
  expect(result?.status).toBe('appended');
  return place;
}

/** The log, with what is read beside the first read counted. */
const counting = (): Pick<EventLog, 'read' | 'readLastBuild'> => ({
  readLastBuild: (query) => log.readLastBuild(query),
  read: (query) => {
    seen.more += 1;
    return log.read(query);
  },
});

/** The builds of what is read of a session's log at some places are those of all of it up to there. */
async function checkReads(session: Session, places: readonly number[]): Promise<void> {
  const { view, policyHash, manifest } = session;
  const place = await stored(session.events);
  const events = await log.read(place);
  const next = { view, policyHash, model: manifest.model };
  for (const upto of [events.length, ...places.map((at) => at % (events.length + 1))]) {
    const uptoSeq = Math.max(upto, view.cutoffSeq ?? 0);
    const before = events.slice(0, uptoSeq);
    const kept = await readKeptEvents(counting(), place, next, uptoSeq);
    const last = lastBuildOf(before, view);
    for (const { seq, isOutline } of kept.events) {
      const whole = events[seq - 1];
      if (isOutline !== true || whole === undefined || last === null) continue;
      seen.outlines += 1;
      expect(isOutlineEnough(whole, last)).toBe(true);
    }
    expect(canonicalOf(session.build('managed', kept.events))).toBe(canonicalOf(session.build('managed', before)));
  }
}

const places = fc.array(fc.nat({ max: 1_000 }), { maxLength: 3 });

/** Around the bounds of outlines: too short, blank, ill-formed, not ASCII, not a text, so large that it stands in `payload`. */
const content = fc.constantFrom<Content>(
  'x'.repeat(699),
  'x'.repeat(700),
  'line\n'.repeat(300),
  'a long line\n'.repeat(4_000),
  'a\0b'.repeat(400),
  `a${'\ud83d'.repeat(800)}`,
  ' \n'.repeat(500),
  '\u00a0'.repeat(800),
  'строка\n'.repeat(200),
  [{ type: 'text', text: 'x'.repeat(900) }],
);
const turn = fc.record({
  content,
  status: fc.constantFrom('ok' as const, 'ok' as const, 'ok' as const, 'error' as const),
  // Longer than any provider takes, and so long that a placeholder with it is longer than a result.
  name: fc.constantFrom(...Array.from({ length: 20 }, () => 'read'), 'n'.repeat(64), 'n'.repeat(900)),
});
const longResults = fc
  .record({
    window: fc.record({
      soft_cap_chars: fc.constantFrom(750, 6_000, 400_000),
      observation_window: fc.nat({ max: 3 }),
      mask_batch_turns: fc.constantFrom('auto' as const, 1, 3),
    }),
    turns: fc.array(turn, { minLength: 4, maxLength: 16 }),
    endsUnderAnother: fc.boolean(),
  })
  .map(({ window, turns, endsUnderAnother }) => {
    const session = sessionUnder(windowPolicy({ ...window, hard_cap_chars: 4_000_000, min_tail_turns: 16 })).user('go');
    for (const { content: result, status, name } of turns) session.turn('', [result], { status, name });
    if (endsUnderAnother) session.follow(windowPolicy({ observation_window: 7 }), session.manifest.model);
    return session;
  });

describe('what a worker reads that knows nothing', () => {
  it('gives the build of the whole log, at every place in it (law C11)', async () => {
    const plan = fc
      .constantFrom('openai_chat' as const, 'anthropic_thinking' as const)
      .chain((it) => randomPlan(it, 30));
    const property = fc.asyncProperty(plan, places, (drawn, at) =>
      checkReads(
        playPlan(drawn, () => undefined),
        at,
      ),
    );
    await fc.assert(property, { numRuns: lawRuns(100), seed: SEED });
    expect(seen.more).toBeGreaterThan(0);
  }, 240_000);

  it('does so where of long results that are masked only outlines are read', async () => {
    await fc.assert(fc.asyncProperty(longResults, places, checkReads), { numRuns: lawRuns(60), seed: SEED });
    expect(seen.outlines).toBeGreaterThan(0);
  }, 240_000);

  it('fetches what it gives and little more, also where the planner knows nothing of the table', async () => {
    const session = sessionUnder(windowPolicy({ soft_cap_chars: 6_000, hard_cap_chars: 60_000 })).user('go');
    for (let n = 0; n < 150; n += 1) session.turn(`step ${n} ${'because of this and that '.repeat(30)}`);
    const place = await stored(session.events);
    const next = { view: session.view, policyHash: session.policyHash, model: session.manifest.model };
    const one = connect({ url: database.url, poolSize: 1 });
    /** Rows of events that this database has fetched so far. */
    const fetched = async (): Promise<number> => {
      await one.sql`select pg_stat_force_next_flush()`;
      const [row] = await one.sql<
        { rows: number }[]
      >`select idx_tup_fetch + seq_tup_read as rows from pg_stat_user_tables where relname = 'event'`;
      return row?.rows ?? 0;
    };
    try {
      // More often than the server plans a statement for its parameters.
      for (let read = 0; read < 8; read += 1) {
        const before = await fetched();
        const { events } = await readKeptEvents(postgresEventLog(one), place, next, session.events.length);
        expect((await fetched()) - before).toBeLessThan(3 * events.length);
      }
    } finally {
      await one.close();
    }
    expect(session.events.length).toBeGreaterThan(300);
  });

  it('is refused where a body does not fit its schema', async () => {
    const session = sessionUnder(windowPolicy({})).user('go').turn('first').turn('second');
    const { view, policyHash, manifest } = session;
    const place = await stored(session.events);
    await db.sql`update event set data = data - 'model' where stream_id = ${place.streamId} and type = 'LlmCallCompleted'`;
    const reading = readKeptEvents(log, place, { view, policyHash, model: manifest.model }, session.events.length);
    await expect(reading).rejects.toMatchObject({ code: 'event_unreadable' });
    expect(await log.version(place.projectId, place.streamId)).toMatchObject({ version: session.events.length });
  });
});
