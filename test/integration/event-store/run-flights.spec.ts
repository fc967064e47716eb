import type { NewRun, RunStore, RunTransaction, RunWork } from '#libs/engine';
import { connect, postgresRunStore, type Database } from '#libs/event-store';
import { createTestDatabase, type TestDatabase } from '../../support/index.js';
import { memory, newRun, newStep, PROJECT, seedProject, userMessage } from './seed.js';

describe('works on runs that share transactions', () => {
  let database: TestDatabase;
  let db: Database;
  let runs: RunStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = connect({ url: database.url, poolSize: 5 });
    runs = postgresRunStore(db);
    await seedProject(db);
  }, 60_000);

  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  const about = (runId: string, more: Partial<RunWork> = {}): RunWork => ({
    ...{ projectId: PROJECT, runId, stepRunId: null, places: [], items: [], seen: null, ...more },
  });

  /** A run with one running step. */
  async function running(steps = 1): Promise<{ run: NewRun; stepRunIds: string[] }> {
    const run = newRun();
    const rows = Array.from({ length: steps }, (_, item) => newStep(run.runId, { stepId: 'work', item }));
    await runs.transact(async (tx) => {
      await tx.insertRun(run);
      await tx.insertStepRuns(PROJECT, rows);
    });
    await db.sql`update step_run set status = 'running', fence = 1 where run_id = ${run.runId}`;
    return { run, stepRunIds: rows.map(({ stepRunId }) => stepRunId) };
  }

  const succeed = async (tx: RunTransaction, stepRunId: string): Promise<void> => {
    const ended = { status: 'succeeded', reason: null, output: { of: stepRunId }, error: null, ended: true } as const;
    await tx.updateStepRun(PROJECT, stepRunId, { ...ended, moreToolCalls: 2 });
  };

  it('write in one transaction what is ready at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => running()));
    const events = made.map(({ run }) => memory('k', 'v', { runId: run.runId }));
    await Promise.all(
      made.map(({ run, stepRunIds: [stepRunId = ''] }, index) =>
        runs.transactRun(about(run.runId, { stepRunId }), async (tx) => {
          expect(await tx.lockRun(PROJECT, run.runId)).toMatchObject({ runId: run.runId, inputs: run.inputs });
          expect(await tx.lockStepRun(PROJECT, stepRunId)).toMatchObject({ status: 'running', fence: 1 });
          await succeed(tx, stepRunId);
          await tx.record([{ projectId: PROJECT, streamId: run.streamId, events: [events[index]!] }]);
        }),
      ),
    );
    const [row] = await db.sql<{ transactions: number; ended: number }[]>`
      select count(distinct e.xact)::integer as transactions, count(*) filter (where s.output ->> 'of' = s.step_run_id and s.tool_calls = 2)::integer as ended
      from event e join step_run s on s.run_id = e.run_id and s.status = 'succeeded' and s.ended_at is not null
      where e.event_id = any(${events.map(({ eventId }) => eventId)}::uuid[])`;
    expect(row).toEqual({ transactions: 1, ended: 8 });
  });

  it('see what works before them did to the same run', async () => {
    const { run, stepRunIds } = await running(3);
    const seen = await Promise.all(
      stepRunIds.map((stepRunId) =>
        runs.transactRun(about(run.runId, { stepRunId }), async (tx) => {
          await succeed(tx, stepRunId);
          const rows = await tx.stepRuns(PROJECT, run.runId);
          const { isActive } = await tx.activity(PROJECT, run.runId);
          return { ended: rows.filter(({ status }) => status === 'succeeded').length, isActive };
        }),
      ),
    );
    expect(seen).toEqual([
      { ended: 1, isActive: true },
      { ended: 2, isActive: true },
      { ended: 3, isActive: false },
    ]);
  });

  it('fail for themselves alone, with all that they wrote', async () => {
    const [good, bad] = [await running(), await running()];
    const work = (made: typeof good, fails: boolean) =>
      runs.transactRun(about(made.run.runId, { stepRunId: made.stepRunIds[0]! }), async (tx) => {
        await succeed(tx, made.stepRunIds[0]!);
        if (fails) throw new Error('not this one');
      });
    const ends = await Promise.allSettled([work(good, false), work(bad, true)]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await runs.getStepRun(good.stepRunIds[0]!)).toMatchObject({ status: 'succeeded' });
    expect(await runs.getStepRun(bad.stepRunIds[0]!)).toMatchObject({ status: 'running' });
  });

  it('number what they record of one stream one after the other', async () => {
    const { run, stepRunIds } = await running(2);
    const said = (text: string) => [memory(text, text, { runId: run.runId }), userMessage(text, { runId: run.runId })];
    await Promise.all(
      stepRunIds.map((stepRunId) =>
        runs.transactRun(about(run.runId, { stepRunId }), (tx) =>
          tx.record([
            { projectId: PROJECT, streamId: run.streamId, events: said(`${stepRunId} first`) },
            { projectId: PROJECT, streamId: `${run.streamId}:own`, events: said(`${stepRunId} own`) },
          ]),
        ),
      ),
    );
    const rows = await db.sql<{ seq: number; entry: number | null }[]>`
      select seq, entry from event where project_id = ${PROJECT} and stream_id = ${run.streamId} order by seq`;
    expect(rows.map(({ seq, entry }) => [seq, entry])).toEqual([
      [1, null],
      [2, 1],
      [3, null],
      [4, 2],
    ]);
    const [{ transactions } = { transactions: 0 }] = await db.sql<{ transactions: number }[]>`
      select count(distinct xact)::integer as transactions from event where run_id = ${run.runId}`;
    expect(transactions).toBe(1);
    const [stream] = await db.sql`select version, entries from stream where stream_id = ${`${run.streamId}:own`}`;
    expect(stream).toMatchObject({ version: 4, entries: 2 });
  });

  it('fail when an event id is used for another body, and write nothing', async () => {
    const { run, stepRunIds } = await running();
    const event = memory('k', 'v', { runId: run.runId });
    const record = (value: string) =>
      runs.transactRun(about(run.runId, { stepRunId: stepRunIds[0]! }), async (tx) => {
        if (value !== 'v') await succeed(tx, stepRunIds[0]!);
        const body = memory('k', value, { eventId: event.eventId, runId: run.runId });
        await tx.record([{ projectId: PROJECT, streamId: run.streamId, events: [body] }]);
      });
    await record('v');
    // Stored already, with the same body: that is no fault.
    await record('v');
    await expect(record('other')).rejects.toMatchObject({ code: 'append_refused' });
    expect(await runs.getStepRun(stepRunIds[0]!)).toMatchObject({ status: 'running' });
  });

  it('go to the database for what is not read along, and keep what they did before', async () => {
    const { run, stepRunIds } = await running(2);
    await runs.transactRun(about(run.runId, { stepRunId: stepRunIds[0]! }), async (tx) => {
      await succeed(tx, stepRunIds[0]!);
      await tx.addWait(PROJECT, stepRunIds[1]!, { kind: 'timer', key: 'sleep', dueInMs: 1 });
      const [first] = (await tx.stepRuns(PROJECT, run.runId)).filter(({ item }) => item === 0);
      expect(first).toMatchObject({ status: 'succeeded', output: { of: stepRunIds[0] } });
      await tx.updateRun(PROJECT, run.runId, { status: 'waiting' });
    });
    expect(await runs.getRun(PROJECT, run.runId)).toMatchObject({ status: 'waiting' });
    expect(await runs.getStepRun(stepRunIds[0]!)).toMatchObject({ status: 'succeeded', usage: { toolCalls: 2 } });
  });

  it('read only the places they ask for where a run has many steps', async () => {
    const { run, stepRunIds } = await running(70);
    const places = [{ stepIds: ['work'], item: 3, round: 0 }];
    await runs.transactRun(about(run.runId, { stepRunId: stepRunIds[3]!, places }), async (tx) => {
      expect(await tx.stepRunsAt(PROJECT, run.runId, places[0]!)).toMatchObject([{ item: 3, status: 'running' }]);
      await succeed(tx, stepRunIds[3]!);
      expect(await tx.activity(PROJECT, run.runId)).toMatchObject({ isActive: true, isWaiting: false });
      expect(await tx.stepRuns(PROJECT, run.runId)).toHaveLength(70);
    });
  });

  it('make a run that reads back as it was seen when it was made', async () => {
    const run = newRun({ deadlineAt: null, timeoutMs: 60_000, tags: ['a'], priority: 3 });
    const step = newStep(run.runId, { isDispatched: true });
    const seen = await runs.transactRun(about(run.runId), async (tx) => {
      await tx.insertRun(run);
      await tx.lockStreams(PROJECT, [run.streamId]);
      expect(await tx.acquireStream({ ...run, runId: run.runId })).toBe(true);
      await tx.updateRun(PROJECT, run.runId, { status: 'running', statusReason: null, started: true });
      await tx.insertStepRuns(PROJECT, [step]);
      return { run: await tx.lockRun(PROJECT, run.runId), steps: await tx.stepRuns(PROJECT, run.runId) };
    });
    const stored = await runs.getRun(PROJECT, run.runId);
    expect(stored).toEqual({ ...seen.run, startedAt: expect.any(String), timeoutAt: expect.any(String) });
    const [row] = seen.steps;
    const times = { queuedAt: expect.any(String), dispatchedAt: expect.any(String) };
    expect(await runs.getStepRun(step.stepRunId)).toEqual({ ...row, ...times });
    expect(await runs.streamHolder(PROJECT, run.streamId)).toMatchObject({ runId: run.runId });
    expect(await runs.takeThese([step.stepRunId])).toEqual([]);
  });
});
