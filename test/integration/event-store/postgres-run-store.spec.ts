import { randomUUID } from 'node:crypto';
import type { NewRun, RunStore, RunTransaction } from '#libs/engine';
import { connect, postgresRunStore, type Database } from '#libs/event-store';
import { createTestDatabase, waitFor, type TestDatabase } from '../../support/index.js';
import { memory, PROJECT, seedProject } from './seed.js';

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

  const newRun = (overrides: Partial<NewRun> = {}): NewRun => {
    const runId = `run_${randomUUID()}`;
    return {
      projectId: PROJECT,
      runId,
      pipeline: 'demo',
      pipelineVersion: 1,
      streamId: runId,
      inputs: { text: 'a\u0000b\ud800' },
      tags: ['x', 'y'],
      metadata: {},
      priority: 0,
      onBusy: 'enqueue',
      exclusive: true,
      deadlineAt: null,
      timeoutMs: 60_000,
      statusReason: null,
      ...overrides,
    };
  };
  const newStep = (runId: string, overrides: object = {}) => ({
    stepRunId: `srn_${randomUUID()}`,
    runId,
    stepId: `s${randomUUID().slice(0, 8)}`,
    item: null,
    round: 0,
    kind: 'agent',
    status: 'queued' as const,
    priority: 0,
    timeoutMs: null,
    ...overrides,
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
  const claim = (stepRunId: string, dispatchNo = 1, leaseMs = LEASE_MS) => runs.claimStep({ stepRunId, dispatchNo, workerId: 'w1', leaseMs });
  const inRun = <T>(work: (tx: RunTransaction) => Promise<T>) => runs.transact(work);

  describe('projections', () => {
    it('keeps a run as it was given and changes the columns a patch names', async () => {
      const run = newRun({ deadlineAt: '2100-01-01T00:00:00Z' });
      await inRun((tx) => tx.insertRun(run));
      const stored = await runs.getRun(PROJECT, run.runId);
      expect(stored).toMatchObject({ ...run, deadlineAt: '2100-01-01T00:00:00Z', status: 'queued', output: null, error: null, generation: 0, timeoutAt: '2100-01-01T00:00:00Z' });
      await inRun((tx) => tx.updateRun(PROJECT, run.runId, { status: 'running', statusReason: null, started: true }));
      const started = await runs.getRun(PROJECT, run.runId);
      expect(started?.startedAt).not.toBeNull();
      expect(Date.parse(started?.timeoutAt ?? '') - Date.parse(started?.startedAt ?? '')).toBe(60_000);
      const error = { code: 'x', detail: 'd\u0000', step_id: 's' };
      await inRun((tx) => tx.updateRun(PROJECT, run.runId, { status: 'failed', error, output: [true, { a: 1 }], ended: true, cancelRequested: true, cancelReason: 'no\u0000' }));
      const ended = await runs.getRun(PROJECT, run.runId);
      expect(ended).toMatchObject({ status: 'failed', error, output: [true, { a: 1 }], cancelReason: 'no\u0000' });
      expect(ended?.endedAt).not.toBeNull();
      await inRun((tx) => tx.updateRun(PROJECT, run.runId, { status: 'running', restarted: true, started: true }));
      expect(await runs.getRun(PROJECT, run.runId)).toMatchObject({ endedAt: null, error: null, output: null, cancelRequestedAt: null, generation: 1 });
    });

    it('keeps step runs and requeues, ends and reopens them', async () => {
      const { run, stepRunId } = await queuedStep({ timeoutMs: 5000, priority: 3 });
      expect(await runs.stepRunsOf(PROJECT, run.runId)).toMatchObject([{ stepRunId, status: 'queued', dispatchNo: 1, dispatchedAt: null, fence: 0, priority: 3, timeoutMs: 5000, usage: { costUsd: 0 } }]);
      await claim(stepRunId);
      const patch = { status: 'waiting' as const, reason: 'timer' as const, dueInMs: -1, attempt: 2, cutoffSeq: 7, manifest: 'm', output: { a: ['\u0010'] } };
      await inRun((tx) => tx.updateStepRun(PROJECT, stepRunId, patch));
      expect(await runs.getStepRun(stepRunId)).toMatchObject({ status: 'waiting', reason: 'timer', attempt: 2, cutoffSeq: 7, manifest: 'm', output: { a: ['\u0010'] }, workerId: null, leaseUntil: null, timeoutAt: null });
      expect(await runs.findDueSteps(10)).toEqual([{ projectId: PROJECT, runId: run.runId, stepRunId }]);
      await inRun((tx) => tx.updateStepRun(PROJECT, stepRunId, { requeue: true }));
      expect(await runs.getStepRun(stepRunId)).toMatchObject({ status: 'queued', dispatchNo: 2, reason: null, dueAt: null });
      await inRun((tx) => tx.updateStepRun(PROJECT, stepRunId, { status: 'failed', ended: true, error: { code: 'c', detail: 'd', step_id: null } }));
      expect((await runs.getStepRun(stepRunId))?.endedAt).not.toBeNull();
      await inRun((tx) => tx.updateStepRun(PROJECT, stepRunId, { reopened: true, requeue: true }));
      expect(await runs.getStepRun(stepRunId)).toMatchObject({ status: 'queued', endedAt: null, error: null, dispatchNo: 3 });
    });

    it('ends a skipped step at once and sums usage over steps and compactions', async () => {
      const { run } = await queuedStep();
      const skipped = newStep(run.runId, { status: 'skipped' });
      await inRun((tx) => tx.insertStepRuns(PROJECT, [skipped]));
      expect((await runs.getStepRun(skipped.stepRunId))?.endedAt).not.toBeNull();
      await db.sql`update step_run set input_tokens = 5, cost_usd = 0.1, model_calls = 1, tool_calls = 2`;
      expect(await runs.usageOfRun(PROJECT, run.runId)).toEqual({ inputTokens: 10, cachedTokens: 0, outputTokens: 0, costUsd: 0.2, modelCalls: 2, toolCalls: 4 });
    });
  });

  describe('claims', () => {
    it('lets one of two claimers win, and never a stale dispatch', async () => {
      const { run, stepRunId } = await queuedStep({ timeoutMs: 5000 });
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim(stepRunId)));
      const won = claims.filter((one) => one !== null);
      expect(won).toHaveLength(1);
      expect(won[0]).toMatchObject({ run: { runId: run.runId, inputs: run.inputs }, step: { stepRunId, status: 'running', fence: 1, starts: 1, workerId: 'w1' } });
      expect(won[0]?.step.timeoutAt).not.toBeNull();
      expect(await claim(stepRunId, 2)).toBeNull();
    });

    it('lets another worker claim when the lease has expired, and fences the first out', async () => {
      const { stepRunId } = await queuedStep();
      await claim(stepRunId, 1, -1);
      expect(await runs.findExpiredLeases(10)).toMatchObject([{ stepRunId }]);
      expect((await claim(stepRunId))?.step.fence).toBe(2);
      expect(await runs.heartbeat([{ stepRunId, fence: 1 }], LEASE_MS)).toEqual(new Map());
      expect(await runs.heartbeat([{ stepRunId, fence: 2 }], LEASE_MS)).toEqual(new Map([[stepRunId, { cancelRequested: false }]]));
    });

    it('tells a heartbeat that the run is to be cancelled', async () => {
      const { run, stepRunId } = await queuedStep();
      await claim(stepRunId);
      await inRun((tx) => tx.updateRun(PROJECT, run.runId, { status: 'cancelling', cancelRequested: true }));
      expect(await runs.heartbeat([{ stepRunId, fence: 1 }], LEASE_MS)).toEqual(new Map([[stepRunId, { cancelRequested: true }]]));
      expect(await runs.cancelRequested([run.runId, 'run_other'])).toEqual([run.runId]);
    });

    it('refuses the append of a worker that was fenced out, inside a transaction too', async () => {
      const { run, stepRunId } = await queuedStep();
      await claim(stepRunId, 1, -1);
      await claim(stepRunId);
      const append = (fence: number) => inRun((tx) => tx.append([{ projectId: PROJECT, streamId: run.streamId, events: [memory('a', '1')], fence: { kind: 'step', id: stepRunId, fence } }]));
      expect(await append(1)).toEqual([{ status: 'fenced_out' }]);
      expect(await append(2)).toMatchObject([{ status: 'appended' }]);
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

  describe('streams', () => {
    const start = (run: NewRun) =>
      inRun(async (tx) => {
        await tx.insertRun(run);
        await tx.lockStreams(PROJECT, [run.streamId]);
        const held = await tx.acquireStream(run);
        if (held) await tx.updateRun(PROJECT, run.runId, { status: 'running', started: true });
        return held;
      });
    const end = (run: NewRun) =>
      inRun(async (tx) => {
        await tx.lockStreams(PROJECT, [run.streamId]);
        await tx.releaseStream(run);
        await tx.updateRun(PROJECT, run.runId, { status: 'succeeded', ended: true });
      });
    const acquire = (run: NewRun) =>
      inRun(async (tx) => {
        await tx.lockStreams(PROJECT, [run.streamId]);
        return tx.acquireStream(run);
      });

    it('lets one run at a time hold a stream, in the order of their creation', async () => {
      const streamId = `chat-${randomUUID()}`;
      const [a, b, c] = [newRun({ streamId }), newRun({ streamId }), newRun({ streamId })];
      expect([await start(a), await start(b), await start(c)]).toEqual([true, false, false]);
      expect(await acquire(a)).toBe(true);
      expect(await runs.streamHolder(PROJECT, streamId)).toMatchObject({ runId: a.runId });
      expect(await runs.findStartableRuns(10)).toEqual([]);
      await end(a);
      expect(await runs.nextOnStream(PROJECT, streamId)).toBe(b.runId);
      expect(await runs.findStartableRuns(10)).toEqual([{ projectId: PROJECT, runId: b.runId }]);
      expect(await acquire(c)).toBe(false);
      expect(await acquire(b)).toBe(true);
      expect(await acquire(c)).toBe(false);
    });

    it('shares a stream among runs that are all shared', async () => {
      const streamId = `chat-${randomUUID()}`;
      const [a, b, alone, late] = [newRun({ streamId, exclusive: false }), newRun({ streamId, exclusive: false }), newRun({ streamId }), newRun({ streamId, exclusive: false })];
      expect([await start(a), await start(b), await start(alone), await start(late)]).toEqual([true, true, false, false]);
      await end(a);
      expect(await acquire(alone)).toBe(false);
      await end(b);
      expect(await acquire(late)).toBe(false);
      expect(await acquire(alone)).toBe(true);
    });

    it('starts one of 20 runs that come at once', async () => {
      const streamId = `chat-${randomUUID()}`;
      const started = await Promise.all(Array.from({ length: 20 }, () => start(newRun({ streamId }))));
      expect(started.filter(Boolean)).toHaveLength(1);
    });
  });

  describe('sweeping', () => {
    it('finds due waits and wakes waiters by key', async () => {
      const { run, stepRunId } = await queuedStep();
      await inRun(async (tx) => {
        await tx.updateStepRun(PROJECT, stepRunId, { status: 'waiting', reason: 'signal' });
        await tx.addWait(PROJECT, stepRunId, { kind: 'signal', key: 'k', dueInMs: null });
        await tx.addWait(PROJECT, stepRunId, { kind: 'timer', key: 't', dueInMs: -5 });
      });
      expect(await runs.findDueWaits(10)).toEqual([{ projectId: PROJECT, runId: run.runId, stepRunId }]);
      expect(await inRun((tx) => tx.waiters(PROJECT, 'signal', 'k'))).toEqual([stepRunId]);
      await inRun((tx) => tx.removeWaits(PROJECT, stepRunId));
      expect(await runs.findDueWaits(10)).toEqual([]);
    });

    it('finds overdue runs, also queued ones, and runs that nothing moves', async () => {
      const overdue = newRun({ deadlineAt: '2020-01-01T00:00:00Z' });
      const stuck = newRun();
      await inRun(async (tx) => {
        await tx.insertRun(overdue);
        await tx.insertRun(stuck);
        await tx.updateRun(PROJECT, stuck.runId, { status: 'running', started: true });
      });
      expect(await runs.findDueRuns(10)).toEqual([{ projectId: PROJECT, runId: overdue.runId }]);
      expect(await runs.findStuckRuns(10)).toEqual([{ projectId: PROJECT, runId: stuck.runId }]);
      await inRun((tx) => tx.insertStepRuns(PROJECT, [newStep(stuck.runId)]));
      expect(await runs.findStuckRuns(10)).toEqual([]);
    });

    it('knows the last event of a step', async () => {
      const { run } = await queuedStep();
      const step = { projectId: PROJECT, runId: run.runId, stepId: 's', item: null };
      expect(await runs.lastPositionOfStep(step)).toBe(0);
      const [result] = await inRun((tx) => tx.append([{ projectId: PROJECT, streamId: run.streamId, events: [memory('a', '1', { runId: run.runId, stepId: 's' })] }]));
      expect(await runs.lastPositionOfStep(step)).toBe(result?.status === 'appended' ? result.events[0]?.position : -1);
      expect(await runs.lastPositionOfStep({ ...step, item: 0 })).toBe(0);
    });

    it('keeps the first value of an installation fact', async () => {
      const values = await Promise.all(['redis', 'postgres', 'redis'].map((backend) => runs.installationFact('queue_backend', { backend })));
      expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(1);
    });
  });

  describe('transactions', () => {
    it('takes all back when work throws', async () => {
      const run = newRun();
      const failing = inRun(async (tx) => {
        await tx.insertRun(run);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await runs.getRun(PROJECT, run.runId)).toBeNull();
    });

    it('repeats work that lost a deadlock', async () => {
      const [a, b] = [await queuedStep(), await queuedStep()];
      let starts = 0;
      let held = 0;
      const both = (first: string, second: string) =>
        inRun(async (tx) => {
          starts += 1;
          await tx.lockRun(PROJECT, first);
          held += 1;
          await waitFor(() => held >= 2);
          await tx.lockRun(PROJECT, second);
          return first;
        });
      expect(await Promise.all([both(a.run.runId, b.run.runId), both(b.run.runId, a.run.runId)])).toEqual([a.run.runId, b.run.runId]);
      expect(starts).toBeGreaterThan(2);
    });

    it('gives 50 requests with one idempotency key one owner and one answer', async () => {
      const key = { projectId: PROJECT, scope: 'runs', key: 'k1', requestHash: 'h' };
      const request = () =>
        inRun(async (tx) => {
          const claimed = await tx.claimIdempotencyKey(key);
          if (claimed.status !== 'new') return claimed;
          const run = newRun();
          await tx.insertRun(run);
          await tx.storeIdempotentAnswer(key, 202, { id: run.runId });
          return { status: 'new' as const, body: { id: run.runId } };
        });
      const answers = await Promise.all(Array.from({ length: 50 }, request));
      expect(answers.filter((one) => one.status === 'new')).toHaveLength(1);
      expect(new Set(answers.map((one) => ('body' in one ? JSON.stringify(one.body) : 'none'))).size).toBe(1);
      const [count] = await db.sql<{ n: number }[]>`select count(*) as n from run`;
      expect(count?.n).toBe(1);
      expect(await inRun((tx) => tx.claimIdempotencyKey({ ...key, requestHash: 'other' }))).toEqual({ status: 'mismatch' });
    });

    it('appends to several streams and numbers on what the transaction itself wrote', async () => {
      const run = newRun();
      const result = await inRun(async (tx) => {
        await tx.insertRun(run);
        const locked = await tx.lockStreams(PROJECT, [`${run.streamId}:step:b`, run.streamId]);
        expect([...locked.values()].map((one) => one.version)).toEqual([0, 0]);
        await tx.append([{ projectId: PROJECT, streamId: run.streamId, events: [memory('a', '1')], expectedVersion: 0 }]);
        return tx.append([
          { projectId: PROJECT, streamId: run.streamId, events: [memory('a', '2')], expectedVersion: 1 },
          { projectId: PROJECT, streamId: `${run.streamId}:step:b`, events: [memory('a', '1')], expectedVersion: 5 },
        ]);
      });
      expect(result).toMatchObject([{ status: 'appended', version: 2 }, { status: 'version_conflict', version: 0 }]);
    });
  });
});
