import type { NewRun, RunStore, RunTransaction } from '#libs/engine';
import { connect, postgresRunStore, type Database } from '#libs/event-store';
import { createTestDatabase, type TestDatabase } from '../../support/index.js';
import { memory, newRun, newStep, PROJECT, seedProject } from './seed.js';

const LEASE_MS = 60_000;

describe('postgresRunStore', () => {
  let database: TestDatabase;
  let db: Database;
  let runs: RunStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = connect({ url: database.url, poolSize: 20 });
    runs = postgresRunStore(db);
    await seedProject(db);
  }, 60_000);

  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  afterEach(async () => {
    await db.sql`truncate run, step_run, wait, stream_hold, compaction, idempotency_key cascade`;
  });

  async function queuedStep(overrides: object = {}): Promise<{ run: NewRun; stepRunId: string }> {
    const run = newRun();
    const step = newStep(run.runId, overrides);
    await runs.transact(async (tx) => {
      await tx.insertRun(run);
      await tx.insertStepRuns(PROJECT, [step]);
    });
    return { run, stepRunId: step.stepRunId };
  }
  const claim = (stepRunId: string, dispatchNo = 1, leaseMs = LEASE_MS) =>
    runs.claimStep({ stepRunId, dispatchNo, workerId: 'w1', leaseMs });
  const fenceOf = async (claiming: ReturnType<typeof claim>): Promise<number> => (await claiming)?.step.fence ?? 0;
  const inRun = <T>(work: (tx: RunTransaction) => Promise<T>) => runs.transact(work);
  /** What the sweeper does with a lease that has run out. */
  const requeue = (stepRunId: string) => inRun((tx) => tx.updateStepRun(PROJECT, stepRunId, { requeue: true }));

  describe('projections', () => {
    it('keeps a run as it was given and changes the columns a patch names', async () => {
      const run = newRun({ deadlineAt: '2100-01-01T00:00:00Z' });
      await inRun((tx) => tx.insertRun(run));
      const stored = await runs.getRun(PROJECT, run.runId);
      // The database's clock makes a time of the delay.
      const { delayMs: _delay, ...given } = run;
      expect(stored).toMatchObject({
        ...given,
        deadlineAt: '2100-01-01T00:00:00Z',
        status: 'queued',
        output: null,
        error: null,
        generation: 0,
        timeoutAt: '2100-01-01T00:00:00Z',
      });
      await inRun((tx) => tx.updateRun(PROJECT, run.runId, { status: 'running', statusReason: null, started: true }));
      const started = await runs.getRun(PROJECT, run.runId);
      expect(started?.startedAt).not.toBeNull();
      expect(Date.parse(started?.timeoutAt ?? '') - Date.parse(started?.startedAt ?? '')).toBe(60_000);
      const error = { code: 'x', detail: 'd\u0000', step_id: 's' };
      await inRun((tx) =>
        tx.updateRun(PROJECT, run.runId, {
          status: 'failed',
          error,
          output: [true, { a: 1 }],
          ended: true,
          cancelRequested: true,
          cancelReason: 'no\u0000',
        }),
      );
      const ended = await runs.getRun(PROJECT, run.runId);
      expect(ended).toMatchObject({ status: 'failed', error, output: [true, { a: 1 }], cancelReason: 'no\u0000' });
      expect(ended?.endedAt).not.toBeNull();
      await inRun((tx) => tx.updateRun(PROJECT, run.runId, { status: 'running', restarted: true, started: true }));
      expect(await runs.getRun(PROJECT, run.runId)).toMatchObject({
        endedAt: null,
        error: null,
        output: null,
        cancelRequestedAt: null,
        generation: 1,
      });
    });

    it('keeps step runs and requeues, ends and reopens them', async () => {
      const { run, stepRunId } = await queuedStep({ timeoutMs: 5000, priority: 3 });
      expect(await runs.stepRunsOf(PROJECT, run.runId)).toMatchObject([
        {
          stepRunId,
          status: 'queued',
          dispatchNo: 1,
          dispatchedAt: null,
          fence: 0,
          priority: 3,
          timeoutMs: 5000,
          usage: { costUsd: 0 },
        },
      ]);
      await claim(stepRunId);
      const patch = {
        status: 'waiting' as const,
        reason: 'timer' as const,
        dueInMs: -1,
        attempt: 2,
        cutoffSeq: 7,
        manifest: 'm',
        output: { a: ['\u0010'] },
      };
      await inRun((tx) => tx.updateStepRun(PROJECT, stepRunId, patch));
      expect(await runs.getStepRun(stepRunId)).toMatchObject({
        status: 'waiting',
        reason: 'timer',
        attempt: 2,
        cutoffSeq: 7,
        manifest: 'm',
        output: { a: ['\u0010'] },
        workerId: null,
        leaseUntil: null,
        timeoutAt: null,
      });
      expect(await runs.findDueSteps(10)).toMatchObject([{ projectId: PROJECT, runId: run.runId, stepRunId }]);
      await inRun((tx) => tx.updateStepRun(PROJECT, stepRunId, { requeue: true }));
      expect(await runs.getStepRun(stepRunId)).toMatchObject({
        status: 'queued',
        dispatchNo: 2,
        reason: null,
        dueAt: null,
      });
      await inRun((tx) =>
        tx.updateStepRun(PROJECT, stepRunId, {
          status: 'failed',
          ended: true,
          error: { code: 'c', detail: 'd', step_id: null },
        }),
      );
      expect((await runs.getStepRun(stepRunId))?.endedAt).not.toBeNull();
      await inRun((tx) => tx.updateStepRun(PROJECT, stepRunId, { reopened: true, requeue: true }));
      expect(await runs.getStepRun(stepRunId)).toMatchObject({
        status: 'queued',
        endedAt: null,
        error: null,
        dispatchNo: 3,
      });
    });

    it('ends a skipped step at once and sums usage over steps and compactions', async () => {
      const { run } = await queuedStep();
      const skipped = newStep(run.runId, { status: 'skipped' });
      await inRun((tx) => tx.insertStepRuns(PROJECT, [skipped]));
      expect((await runs.getStepRun(skipped.stepRunId))?.endedAt).not.toBeNull();
      await db.sql`update step_run set input_tokens = 5, cost_usd = 0.1, model_calls = 1, tool_calls = 2`;
      expect(await runs.usageOfRun(PROJECT, run.runId)).toEqual({
        inputTokens: 10,
        cachedTokens: 0,
        outputTokens: 0,
        costUsd: 0.2,
        modelCalls: 2,
        toolCalls: 4,
      });
    });
  });

  describe('claims', () => {
    it('lets one of two claimers win, and never a stale dispatch', async () => {
      const { run, stepRunId } = await queuedStep({ timeoutMs: 5000 });
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim(stepRunId)));
      const won = claims.filter((one) => one !== null);
      expect(won).toHaveLength(1);
      expect(won[0]).toMatchObject({
        run: { runId: run.runId, inputs: run.inputs },
        step: { stepRunId, status: 'running', starts: 1, workerId: 'w1' },
      });
      expect(won[0]?.step.fence).toBeGreaterThan(0);
      expect(won[0]?.step.timeoutAt).not.toBeNull();
      expect(await claim(stepRunId, 2)).toBeNull();
    });

    it('lets a dispatch be claimed once, and another one fence the first out', async () => {
      const { stepRunId } = await queuedStep();
      const first = await fenceOf(claim(stepRunId, 1, -1));
      expect(await runs.findExpiredLeases(10)).toMatchObject([{ stepRunId }]);
      // A queue that delivers again what it takes for stalled.
      expect(await claim(stepRunId)).toBeNull();
      await requeue(stepRunId);
      const second = await fenceOf(claim(stepRunId, 2));
      expect(second).toBeGreaterThan(first);
      expect(await runs.heartbeat([{ stepRunId, fence: first }], LEASE_MS, 1)).toEqual(new Map());
      expect(await runs.heartbeat([{ stepRunId, fence: second }], LEASE_MS, 1)).toEqual(
        new Map([[stepRunId, { cancelRequested: false }]]),
      );
    });

    it('tells a heartbeat that the run is to be cancelled', async () => {
      const { run, stepRunId } = await queuedStep();
      const fence = await fenceOf(claim(stepRunId));
      await inRun((tx) => tx.updateRun(PROJECT, run.runId, { status: 'cancelling', cancelRequested: true }));
      expect(await runs.heartbeat([{ stepRunId, fence }], LEASE_MS, 1)).toEqual(
        new Map([[stepRunId, { cancelRequested: true }]]),
      );
      expect(await runs.cancelRequested([run.runId, 'run_other'])).toEqual([run.runId]);
    });

    it('refuses the append of a worker that was fenced out, inside a transaction too', async () => {
      const { run, stepRunId } = await queuedStep();
      const first = await fenceOf(claim(stepRunId, 1, -1));
      await requeue(stepRunId);
      const second = await fenceOf(claim(stepRunId, 2));
      const append = (fence: number) =>
        inRun((tx) =>
          tx.append([
            {
              projectId: PROJECT,
              streamId: run.streamId,
              events: [memory('a', '1')],
              fence: { kind: 'step', id: stepRunId, fence },
            },
          ]),
        );
      expect(await append(first)).toEqual([{ status: 'fenced_out' }]);
      expect(await append(second)).toMatchObject([{ status: 'appended' }]);
    });
  });

  describe('dispatch', () => {
    it('takes runnable steps by priority and age, each once among many relays', async () => {
      const low = await queuedStep();
      const high = await queuedStep({ priority: 5 });
      expect((await runs.takeRunnable(1)).map((job) => job.stepRunId)).toEqual([high.stepRunId]);
      expect(await runs.takeRunnable(10)).toEqual([{ stepRunId: low.stepRunId, dispatchNo: 1, priority: 0 }]);
      for (let n = 0; n < 20; n += 1) await queuedStep();
      const taken = (await Promise.all(Array.from({ length: 6 }, () => runs.takeRunnable(20)))).flat();
      expect(new Set(taken.map((job) => job.stepRunId)).size).toBe(taken.length);
      // A relay that met another's locks took less than there was: the next turn finds the rest.
      const rest = await runs.takeRunnable(100);
      expect(taken.length + rest.length).toBe(20);
    });

    it('gives back under the same dispatch and dispatches lost jobs anew', async () => {
      const { stepRunId } = await queuedStep();
      expect(await runs.takeThese([stepRunId, 'srn_none'])).toEqual([{ stepRunId, dispatchNo: 1, priority: 0 }]);
      expect(await runs.takeThese([stepRunId])).toEqual([]);
      await runs.undispatch([{ stepRunId, dispatchNo: 1 }]);
      expect(await runs.takeThese([stepRunId])).toMatchObject([{ dispatchNo: 1 }]);
      expect(await runs.findDispatched(-1000, 10)).toEqual([{ stepRunId, dispatchNo: 1 }]);
      expect(await runs.findDispatched(60_000, 10)).toEqual([]);
      await runs.redispatch([{ stepRunId, dispatchNo: 9 }]);
      await runs.redispatch([{ stepRunId, dispatchNo: 1 }]);
      expect(await runs.takeThese([stepRunId])).toMatchObject([{ dispatchNo: 2 }]);
      expect(await claim(stepRunId, 1)).toBeNull();
      expect(await runs.redispatchAll()).toBe(1);
      expect(await runs.getStepRun(stepRunId)).toMatchObject({ dispatchNo: 3, dispatchedAt: null });
    });
  });
});
