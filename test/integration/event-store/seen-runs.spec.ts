import type { Claimed, NewStepRun, RunStore, RunTransaction } from '#libs/engine';
import { connect, postgresRunStore, type Database } from '#libs/event-store';
import { createTestDatabase, waitFor, type TestDatabase } from '../../support/index.js';
import { memory, newRun, newStep, PROJECT, seedProject } from './seed.js';

describe('works on runs by what a claim saw', () => {
  let database: TestDatabase;
  let db: Database;
  let runs: RunStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = connect({ url: database.url, poolSize: 5 });
    runs = postgresRunStore(db);
    await seedProject(db);
    // From here on the store knows the database's clock.
    await claimed([]);
    await start();
  }, 60_000);

  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  const start = async (): Promise<string> => {
    const run = newRun({ concurrency: null });
    const about = { projectId: PROJECT, runId: run.runId, stepRunId: null, places: [], items: [] };
    await runs.transactRun({ ...about, seen: 'no_run' }, async (tx) => {
      await tx.insertRun(run);
      await tx.lockStreams(PROJECT, [run.streamId]);
      await tx.acquireStream(run);
      await tx.updateRun(PROJECT, run.runId, { status: 'running', statusReason: null, started: true });
    });
    return run.runId;
  };

  /** A running run with a step that was just claimed, and the others. */
  async function claimed(others: readonly Partial<NewStepRun>[]): Promise<Claimed> {
    const runId = await start();
    const step = newStep(runId, { stepId: 'own', isDispatched: true });
    const rows = others.map((other, n) => newStep(runId, { stepId: `other${n}`, ...other }));
    await runs.transact((tx) => tx.insertStepRuns(PROJECT, [step, ...rows]));
    const claim = { stepRunId: step.stepRunId, dispatchNo: 1, workerId: 'worker', leaseMs: 60_000, workerBytes: 1 };
    return (await runs.claimStep(claim))!;
  }

  type Seen = { cancelled: boolean; steps: string[] };

  /** Ends the claimed step; returns what the work saw each time that it was done. */
  async function settle(seen: Claimed, more: (tx: RunTransaction) => Promise<void> = () => Promise.resolve()) {
    const times: Seen[] = [];
    const { runId } = seen.run;
    const { stepRunId } = seen.step;
    const places = [{ stepIds: ['own', 'other0', 'other1'], item: null, round: 0 }];
    const about = { projectId: PROJECT, runId, stepRunId, places, items: [], seen };
    const isHeld = await runs.transactRun(about, async (tx) => {
      const run = await tx.lockRun(PROJECT, runId);
      const row = await tx.lockStepRun(PROJECT, stepRunId);
      if (run === null || row?.fence !== seen.step.fence || row.status !== 'running') return false;
      const steps = await tx.stepRunsAt(PROJECT, runId, places[0]!);
      times.push({
        cancelled: run.cancelRequestedAt !== null,
        steps: steps.map(({ stepId, status }) => `${stepId} ${status}`).sort(),
      });
      const ended = { status: 'succeeded', reason: null, output: 'done', error: null, ended: true } as const;
      await tx.updateStepRun(PROJECT, stepRunId, ended);
      await tx.insertStepRuns(PROJECT, [newStep(runId, { stepId: 'next' })]);
      await tx.record([{ projectId: PROJECT, streamId: runId, events: [memory('ended', stepRunId, { runId })] }]);
      await more(tx);
      return true;
    });
    return { isHeld, times };
  }

  const stored = async ({ run, step }: Claimed) => {
    const [row] = await db.sql<{ status: string; events: number; next: number; transactions: number }[]>`
      select s.status, (select count(*)::integer from event e where e.run_id = s.run_id) as events,
        (select count(*)::integer from step_run n where n.run_id = s.run_id and n.step_id = 'next') as next
      from step_run s where s.run_id = ${run.runId} and s.step_run_id = ${step.stepRunId}`;
    return row;
  };

  it('are done once and written, where nothing has changed', async () => {
    const seen = await claimed([{ status: 'skipped' }, { status: 'waiting', reason: 'timer' }]);
    expect(await settle(seen)).toEqual({
      isHeld: true,
      times: [{ cancelled: false, steps: ['other0 skipped', 'other1 waiting', 'own running'] }],
    });
    expect(await stored(seen)).toEqual({ status: 'succeeded', events: 1, next: 1 });
    const [next] = await db.sql`select lane from step_run where run_id = ${seen.run.runId} and step_id = 'next'`;
    expect(next).toEqual({ lane: seen.run.pipeline });
  });

  it('are not bothered by a heartbeat of their own step', async () => {
    const seen = await claimed([]);
    await runs.heartbeat([{ stepRunId: seen.step.stepRunId, fence: seen.step.fence }], 60_000, 2);
    expect((await settle(seen)).times).toHaveLength(1);
    expect(await stored(seen)).toMatchObject({ status: 'succeeded' });
  });

  const changes: [string, (seen: Claimed) => Promise<unknown>, Seen][] = [
    [
      'a cancel',
      ({ run }) =>
        runs.transact(async (tx) => {
          await tx.lockRun(PROJECT, run.runId);
          await tx.updateRun(PROJECT, run.runId, { status: 'cancelling', cancelRequested: true });
        }),
      { cancelled: true, steps: ['other0 waiting', 'own running'] },
    ],
    [
      'a step that went on',
      ({ steps }) =>
        runs.transact((tx) =>
          tx.updateStepRun(PROJECT, steps!.find(({ stepId }) => stepId === 'other0')!.stepRunId, { requeue: true }),
        ),
      { cancelled: false, steps: ['other0 queued', 'own running'] },
    ],
    [
      'a step that was added',
      ({ run }) => runs.transact((tx) => tx.insertStepRuns(PROJECT, [newStep(run.runId, { stepId: 'other1' })])),
      { cancelled: false, steps: ['other0 waiting', 'other1 queued', 'own running'] },
    ],
  ];

  it.each(changes)('are done again under the lock after %s', async (_what, change, after) => {
    const seen = await claimed([{ status: 'waiting', reason: 'timer' }]);
    await change(seen);
    const { isHeld, times } = await settle(seen);
    expect(isHeld).toBe(true);
    expect(times).toEqual([{ cancelled: false, steps: ['other0 waiting', 'own running'] }, after]);
    expect(await stored(seen)).toEqual({ status: 'succeeded', events: 1, next: 1 });
  });

  it('write nothing for a worker whose fence is over', async () => {
    const seen = await claimed([]);
    await db.sql`update step_run set fence = fence + 1 where step_run_id = ${seen.step.stepRunId}`;
    expect((await settle(seen)).isHeld).toBe(false);
    expect(await stored(seen)).toEqual({ status: 'running', events: 0, next: 0 });
  });

  it('wait for whoever has the lock, and see what was written under it', async () => {
    const seen = await claimed([]);
    let settled: ReturnType<typeof settle> | null = null;
    await runs.transact(async (tx) => {
      await tx.lockRun(PROJECT, seen.run.runId);
      settled = settle(seen);
      await waitFor(async () => {
        const [row] = await db.sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and query like '%write_runs%' and datname = current_database()`;
        return row ?? null;
      });
      // Nothing of the run's own row: only the second look, after the lock, can tell.
      await tx.insertStepRuns(PROJECT, [newStep(seen.run.runId, { stepId: 'other0' })]);
    });
    expect(await settled!).toEqual({
      isHeld: true,
      times: [
        { cancelled: false, steps: ['own running'] },
        { cancelled: false, steps: ['other0 queued', 'own running'] },
      ],
    });
    expect(await stored(seen)).toEqual({ status: 'succeeded', events: 1, next: 1 });
  });

  it('are done under the lock at once beside steps that run', async () => {
    const seen = await claimed([{ status: 'queued' }]);
    expect((await settle(seen)).times).toHaveLength(1);
    expect(await stored(seen)).toMatchObject({ status: 'succeeded' });
  });

  it('are done again under the lock when they ask for more than was seen', async () => {
    const seen = await claimed([]);
    const { isHeld, times } = await settle(seen, async (tx) => {
      await tx.addWait(PROJECT, seen.step.stepRunId, { kind: 'timer', key: 'sleep', dueInMs: 1 });
    });
    expect([isHeld, times.length]).toEqual([true, 2]);
    expect(await stored(seen)).toEqual({ status: 'succeeded', events: 1, next: 1 });
  });

  it('leave out the stale ones of those that are written together', async () => {
    const [good, stale] = [await claimed([]), await claimed([])];
    await runs.transact((tx) => tx.insertStepRuns(PROJECT, [newStep(stale.run.runId, { stepId: 'other0' })]));
    const ends = await Promise.all([settle(good), settle(stale)]);
    expect(ends.map(({ times }) => times.length)).toEqual([1, 2]);
    for (const seen of [good, stale]) expect(await stored(seen)).toEqual({ status: 'succeeded', events: 1, next: 1 });
  });

  it('are done under the lock where a webhook is to be told', async () => {
    await db.sql`
      insert into webhook_endpoint (project_id, endpoint_id, url, event_types, secrets)
      values (${PROJECT}, 'whe_1', 'https://example.com', '{RunSucceeded}', '[]')`;
    try {
      const seen = await claimed([]);
      const told = memory('told', seen.run.runId, { runId: seen.run.runId });
      const announced = { eventId: told.eventId, type: 'RunSucceeded', runId: seen.run.runId } as const;
      const { times } = await settle(seen, (tx) => tx.announce(PROJECT, [announced], () => `whd_${told.eventId}`));
      expect(times).toHaveLength(2);
      expect(
        await db.sql`select delivery_id, event_type from webhook_delivery where run_id = ${seen.run.runId}`,
      ).toMatchObject([{ delivery_id: `whd_${told.eventId}`, event_type: 'RunSucceeded' }]);
    } finally {
      await db.sql`delete from webhook_endpoint`;
    }
  });
});
