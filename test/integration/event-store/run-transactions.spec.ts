import { randomUUID } from 'node:crypto';
import type { NewRun, NewStepRun, RunStore, RunTransaction } from '#libs/engine';
import { connect, postgresRunStore, type Database } from '#libs/event-store';
import { createTestDatabase, waitFor, type TestDatabase } from '../../support/index.js';
import { memory, newRun, newStep, PROJECT, seedProject } from './seed.js';

describe('runs: streams, sweeping, transactions', () => {
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

  async function queuedStep(overrides: Partial<NewStepRun> = {}): Promise<{ run: NewRun; stepRunId: string }> {
    const run = newRun();
    const step = newStep(run.runId, overrides);
    await runs.transact(async (tx) => {
      await tx.insertRun(run);
      await tx.insertStepRuns(PROJECT, [step]);
    });
    return { run, stepRunId: step.stepRunId };
  }
  const inRun = <T>(work: (tx: RunTransaction) => Promise<T>) => runs.transact(work);

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
      const [a, b, alone, late] = [
        newRun({ streamId, exclusive: false }),
        newRun({ streamId, exclusive: false }),
        newRun({ streamId }),
        newRun({ streamId, exclusive: false }),
      ];
      expect([await start(a), await start(b), await start(alone), await start(late)]).toEqual([
        true,
        true,
        false,
        false,
      ]);
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
      const [result] = await inRun((tx) =>
        tx.append([
          { projectId: PROJECT, streamId: run.streamId, events: [memory('a', '1', { runId: run.runId, stepId: 's' })] },
        ]),
      );
      const progress = await runs.lastPositionOfStep(step);
      expect(progress).toBe(result?.status === 'appended' ? result.events[0]?.position : -1);
      expect(await runs.lastPositionOfStep({ ...step, item: 0 })).toBe(0);
      // Each worker begins again: that gets nobody anywhere.
      const began = { ...memory('b', '2', { runId: run.runId, stepId: 's' }), type: 'StepStarted' as const };
      await inRun((tx) => tx.append([{ projectId: PROJECT, streamId: run.streamId, events: [began] }]));
      expect(await runs.lastPositionOfStep(step)).toBe(progress);
    });

    it('keeps the first value of an installation fact', async () => {
      const values = await Promise.all(
        ['redis', 'postgres', 'redis'].map((backend) => runs.installationFact('queue_backend', { backend })),
      );
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
      expect(await Promise.all([both(a.run.runId, b.run.runId), both(b.run.runId, a.run.runId)])).toEqual([
        a.run.runId,
        b.run.runId,
      ]);
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
      expect(await inRun((tx) => tx.claimIdempotencyKey({ ...key, requestHash: 'other' }))).toEqual({
        status: 'mismatch',
      });
    });

    it('appends to several streams and numbers on what the transaction itself wrote', async () => {
      const run = newRun();
      const result = await inRun(async (tx) => {
        await tx.insertRun(run);
        const locked = await tx.lockStreams(PROJECT, [`${run.streamId}:step:b`, run.streamId]);
        expect([...locked.values()].map((one) => one.version)).toEqual([0, 0]);
        await tx.append([
          { projectId: PROJECT, streamId: run.streamId, events: [memory('a', '1')], expectedVersion: 0 },
        ]);
        return tx.append([
          { projectId: PROJECT, streamId: run.streamId, events: [memory('a', '2')], expectedVersion: 1 },
          { projectId: PROJECT, streamId: `${run.streamId}:step:b`, events: [memory('a', '1')], expectedVersion: 5 },
        ]);
      });
      expect(result).toMatchObject([
        { status: 'appended', version: 2 },
        { status: 'version_conflict', version: 0 },
      ]);
    });
  });
});
