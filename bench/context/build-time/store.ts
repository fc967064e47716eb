import { createTestDatabase } from '../../../test/support/test-services.js';
import { readKeptEvents } from '../../../libs/engine/src/agent/read-kept-events.js';
import { connect, postgresEventLog, type Database } from '../../../libs/event-store/src/index.js';
import type { KeptEvents } from '../../../libs/context/src/index.js';
import type { NewEvent, StoredEvent } from '../../../libs/domain/src/index.js';
import { buildFrom, type Played } from './measure.js';
import { STREAM } from './session-log.js';

const PROJECT = 'prj_bench';
const BATCH = 400;

export type ColdStart = { events: number; rows: number; queries: number; ms: number; buildMs: number };

/** A log on a database of its own, and what a worker reads of it that knows nothing. */
export class BenchStore {
  private pending: NewEvent[] = [];

  private constructor(
    private readonly database: Database,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(): Promise<BenchStore> {
    const { url, drop } = await createTestDatabase();
    return BenchStore.over(url, drop);
  }

  /** On a database that has Weir's schema; `drop` is called when it is closed. */
  static async over(url: string, drop: () => Promise<void> = async () => undefined): Promise<BenchStore> {
    const database = connect({ url, poolSize: 2, prepare: true, applicationName: 'bench' });
    await database.run((sql) => sql`insert into project (project_id, name) values (${PROJECT}, 'bench')`);
    return new BenchStore(database, drop);
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.drop();
  }

  async add(events: readonly StoredEvent[]): Promise<void> {
    for (const { type, eventId, schemaVersion, runId, stepId, item, round, data, chars, digest } of events)
      this.pending.push({
        type,
        eventId,
        schemaVersion,
        runId,
        stepId,
        item,
        round,
        data,
        json: JSON.stringify(data),
        chars,
        digest,
      });
    if (this.pending.length >= BATCH) await this.flush();
  }

  /** From the first query to a build, five times; the fastest counts. */
  async coldStart(play: Played, events: number): Promise<ColdStart> {
    await this.flush();
    const log = postgresEventLog(this.database);
    let best: ColdStart | null = null;
    for (let round = 0; round < 5; round += 1) {
      const counts = { rows: 0, queries: 0 };
      const counted = async <T>(reading: Promise<T[]>): Promise<T[]> => {
        const found = await reading;
        counts.rows += found.length;
        counts.queries += 1;
        return found;
      };
      const reads = {
        read: (query: Parameters<typeof log.read>[0]) => counted(log.read(query)),
        readLastBuild: (query: Parameters<typeof log.readLastBuild>[0]) => counted(log.readLastBuild(query)),
      };
      const before = performance.now();
      const kept = await readKeptEvents(reads, { projectId: PROJECT, streamId: STREAM }, play.next, events);
      const ms = performance.now() - before;
      buildFrom(play, kept, events);
      const one = { events, ...counts, ms, buildMs: performance.now() - before - ms };
      if (best === null || one.ms < best.ms) best = one;
    }
    if (best === null) throw new Error('nothing was measured');
    return best;
  }

  /** So that plans do not depend on whether autovacuum has been here. */
  async analyze(): Promise<void> {
    await this.flush();
    await this.database.run((sql) => sql`analyze event`);
  }

  /** The events that a worker reads which knows nothing. */
  async cold({ next }: Played, uptoSeq: number): Promise<KeptEvents> {
    await this.flush();
    const place = { projectId: PROJECT, streamId: STREAM };
    return readKeptEvents(postgresEventLog(this.database), place, next, uptoSeq);
  }

  /** A bare SELECT of these events and JSON.parse of each. */
  async raw(seqs: readonly number[]): Promise<unknown[]> {
    const rows = await this.database.run(
      (sql) => sql<{ data: string }[]>`
        select data::text from event where project_id = ${PROJECT} and stream_id = ${STREAM} and seq = any (${[...seqs]}::bigint[]) order by seq`,
    );
    return rows.map(({ data }): unknown => JSON.parse(data));
  }

  private async flush(): Promise<void> {
    const events = this.pending.splice(0);
    if (events.length === 0) return;
    const [result] = await postgresEventLog(this.database).append([{ projectId: PROJECT, streamId: STREAM, events }]);
    if (result?.status !== 'appended') throw new Error(`the append was refused: ${result?.status ?? 'no answer'}`);
  }
}

/** The servers of the test suite, started and stopped once, as its runner does. */
export async function suiteHook(name: 'global-setup' | 'global-teardown'): Promise<void> {
  const path = new URL(`../../../test/support/${name}.mjs`, import.meta.url).href;
  const { default: run } = (await import(path)) as { default: () => Promise<void> };
  await run();
}
