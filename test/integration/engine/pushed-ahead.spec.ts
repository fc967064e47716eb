import type { TransactionSql } from 'postgres';
import { RetryableError } from '../../../libs/domain/src/index.js';
import {
  handleStepJob,
  relay,
  runStepJob,
  type EngineDeps,
  type RunStore,
  type StepJob,
} from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { waitFor } from '../../support/index.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'two',
    steps: [
      { id: 'a', transform: { n: 1 } },
      { id: 'b', depends_on: ['a'], transform: { n: 2 } },
    ],
  });
  // From here on the store knows the database's clock.
  await harness.run('two', {});
});
afterAll(() => harness.close());
beforeEach(() => harness.deps.admission.note(false));

type WhileLocked = (sql: TransactionSql, runId: string) => PromiseLike<unknown>;

/** A run whose first step has ended by a write that waits for the run's lock: `next` is the job that was pushed meanwhile. */
async function underWay(worker: EngineDeps, whileLocked: WhileLocked = () => Promise.resolve()) {
  const runId = await harness.start('two', {});
  const [job] = harness.queue.steps.splice(0);
  const lock = await locked(runId, whileLocked);
  const { wakeUps } = await handleStepJob(worker, job!);
  const [next] = harness.queue.steps.splice(0);
  expect((await stepsOf(runId)).map(({ stepId }) => stepId)).toEqual(['a']);
  return { runId, next: next!, wakeUps, unlock: lock.unlock };
}

async function locked(runId: string, whileLocked: WhileLocked) {
  let unlock: () => void = () => undefined;
  const unlocking = new Promise<void>((resolve) => (unlock = resolve));
  let isLocked: () => void = () => undefined;
  const locking = new Promise<void>((resolve) => (isLocked = resolve));
  const ended = harness.database.sql.begin(async (sql) => {
    await sql`select from run where run_id = ${runId} for update`;
    isLocked();
    await unlocking;
    await whileLocked(sql, runId);
  });
  await locking;
  return {
    unlock: async () => {
      unlock();
      await ended;
    },
  };
}

/** The job is run by a worker that has looked for its step and has not found it. */
async function lookingFor(worker: EngineDeps, job: StepJob): Promise<() => Promise<void>> {
  let looks = 0;
  const getStepRun: RunStore['getStepRun'] = (id) => {
    looks += 1;
    return worker.runs.getStepRun(id);
  };
  const running = runStepJob({ ...worker, runs: { ...worker.runs, getStepRun } }, job);
  await waitFor(() => Promise.resolve(looks > 0));
  return () => running;
}

const stepsOf = (runId: string) => harness.deps.runs.stepRunsOf(PROJECT, runId);

/** Nobody but those whom the test asked has worked on it. */
async function hasSucceeded(runId: string): Promise<void> {
  expect((await harness.runRecord(runId)).status).toBe('succeeded');
  expect((await harness.events(runId)).filter(({ type }) => type === 'StepStarted')).toHaveLength(2);
  await expectProjectionsEqualEvents(harness, runId);
}

describe('a step whose job is pushed before it is stored', () => {
  it('begins when it is stored, and the job before it has ended by then', async () => {
    const { runId, next, unlock } = await underWay(harness.deps);
    const running = runStepJob(harness.deps, next);
    await unlock();
    await running;
    await hasSucceeded(runId);
  });

  it('is waited for by another process that takes its job', async () => {
    const { runId, next, unlock } = await underWay(harness.deps);
    const running = await lookingFor(harness.secondWorker(), next);
    await unlock();
    await running();
    await hasSucceeded(runId);
  });

  it('is decided anew where the run has changed meanwhile; its job, pushed twice, does it once', async () => {
    const { runId, next, wakeUps, unlock } = await underWay(
      harness.deps,
      (sql, id) => sql`update run set priority = 1 where run_id = ${id}`,
    );
    await unlock();
    await wakeUps;
    expect(harness.queue.steps).toMatchObject([{ stepRunId: next.stepRunId, dispatchNo: next.dispatchNo }]);
    for (const job of [next, ...harness.queue.steps.splice(0)]) await runStepJob(harness.deps, job);
    await hasSucceeded(runId);
  });

  it('never comes where the run is cancelled meanwhile: its job ends quietly', async () => {
    const { runId, next, unlock } = await underWay(
      harness.deps,
      (sql, id) =>
        sql`update run set status = 'cancelling', cancel_requested_at = now(), cancel_reason = 'enough' where run_id = ${id}`,
    );
    const running = runStepJob(harness.deps, next);
    await unlock();
    await running;
    expect((await stepsOf(runId)).map(({ stepId, status }) => [stepId, status])).toEqual([['a', 'succeeded']]);
    expect((await harness.runRecord(runId)).status).toBe('cancelled');
  });

  it('goes back to the outbox when another process takes its job and drains', async () => {
    const { runId, next, unlock } = await underWay(harness.deps);
    const other = harness.secondWorker();
    other.held.drain();
    const running = await lookingFor(other, next);
    await unlock();
    await running();
    expect((await stepsOf(runId))[1]).toMatchObject({ status: 'queued', dispatchedAt: null });
    await relay(harness.deps);
    await harness.queue.drain(harness.deps);
    await hasSucceeded(runId);
  });

  it('goes back to the outbox when its process drains', async () => {
    const worker = harness.secondWorker();
    await harness.start('two', {});
    await harness.queue.drain(worker);
    worker.admission.note(false);
    const { runId, next, unlock } = await underWay(worker);
    worker.held.drain();
    const running = runStepJob(worker, next);
    await unlock();
    await running;
    expect((await stepsOf(runId))[1]).toMatchObject({ status: 'queued', dispatchedAt: null });
    await relay(harness.deps);
    await harness.queue.drain(harness.deps);
    await hasSucceeded(runId);
  });
});

describe('a job that has ended before its step was stored', () => {
  it('tells the log when the store does not answer', async () => {
    const runId = await harness.start('two', {});
    const [job] = harness.queue.steps.splice(0);
    const { wakeUps } = await handleStepJob(withLostAnswer(harness.deps), job!);
    await expect(wakeUps).rejects.toThrow('the answer was lost');
    expect(
      harness.logged.filter(({ fields }) => fields['run_id'] === runId && fields['error'] !== undefined),
    ).toMatchObject([{ level: 'warn', message: expect.stringContaining('could not be written') as string }]);
    // What was written all the same goes on by what was pushed.
    const [next] = harness.queue.steps.splice(0) as [StepJob];
    await runStepJob(harness.deps, next);
    await hasSucceeded(runId);
  });
});

function withLostAnswer(deps: EngineDeps): EngineDeps {
  const transactRun: RunStore['transactRun'] = async (...asked) => {
    await deps.runs.transactRun(...asked);
    throw new RetryableError('database_unavailable', 'the answer was lost');
  };
  return { ...deps, runs: { ...deps.runs, transactRun } };
}
