import { relay, runStepJob, sweep, type EngineDeps, type RunStore } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  const step = (id: string, before?: string) => ({
    id,
    transform: '${inputs.n}',
    ...(before === undefined ? {} : { depends_on: [before] }),
  });
  const inputs = { n: { type: 'integer' } };
  await harness.apply({ name: 'chain', inputs, steps: [step('s1'), step('s2', 's1'), step('s3', 's2')] });
  await harness.apply({ name: 'fork', inputs, steps: [step('s1'), step('s2', 's1'), step('s3', 's1')] });
  await harness.apply({
    name: 'beside-a-sleep',
    inputs,
    steps: [step('s1'), { id: 'nap', depends_on: ['s1'], sleep: '1h' }, step('s2', 's1')],
  });
});
afterAll(() => harness.close());
// As after a look of the relay that found nothing waiting.
beforeEach(() => harness.deps.admission.note(false));

async function startOne(pipeline: string) {
  const runId = await harness.start(pipeline, { n: 1 });
  const [job] = harness.queue.steps.splice(0);
  if (job === undefined) throw new Error('the first step was not pushed');
  return { runId, job };
}

const statuses = async (runId: string): Promise<string[]> =>
  (await harness.deps.runs.stepRunsOf(PROJECT, runId)).map(({ stepId, status }) => `${stepId} ${status}`);
const eventTypes = async (runId: string): Promise<string[]> => (await harness.events(runId)).map(({ type }) => type);
/** With WEIR_GO_ON_S: the harness is as most are, each step a job. */
const goingOn = (worker: EngineDeps): EngineDeps => ({ ...worker, settings: { ...worker.settings, goOnMs: 60_000 } });
/** A worker to which something happens right after the end of its first step has been committed. */
function afterFirstEnd(worker: EngineDeps, happens: () => void): EngineDeps {
  let ends = 0;
  const transactRun: RunStore['transactRun'] = async (about, work) => {
    const result = await worker.runs.transactRun(about, work);
    ends += 1;
    if (ends === 1) happens();
    return result;
  };
  return { ...worker, runs: { ...worker.runs, transactRun } };
}

async function endedByOthers(runId: string): Promise<void> {
  await relay(harness.deps);
  await harness.queue.drain(harness.deps);
  expect((await harness.runRecord(runId)).status).toBe('succeeded');
  await expectProjectionsEqualEvents(harness, runId);
}

describe('a worker that has ended a step', () => {
  it('goes on with the next one without the queue, which tells the same story', async () => {
    const { runId, job } = await startOne('chain');
    await runStepJob(goingOn(harness.deps), job);
    expect(await statuses(runId)).toEqual(['s1 succeeded', 's2 succeeded', 's3 succeeded']);
    expect(harness.queue.steps).toEqual([]);
    await expectProjectionsEqualEvents(harness, runId);
    const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
    for (const one of steps) expect(one).toMatchObject({ starts: 1, dispatchNo: 1, leaseUntil: null, workerId: null });
    const queued = await harness.run('chain', { n: 1 });
    expect(await eventTypes(runId)).toEqual(await eventTypes(queued.runId));
  });

  it('takes one step, others may have the rest', async () => {
    const { runId, job } = await startOne('fork');
    await runStepJob(goingOn(harness.deps), job);
    expect(await statuses(runId)).toEqual(['s1 succeeded', 's2 succeeded', 's3 queued']);
    expect(harness.queue.steps).toHaveLength(1);
    await endedByOthers(runId);
  });

  it('goes on from rows where its transaction did more than usual', async () => {
    const { runId, job } = await startOne('beside-a-sleep');
    await runStepJob(goingOn(harness.deps), job);
    expect((await statuses(runId)).sort()).toEqual(['nap waiting', 's1 succeeded', 's2 succeeded']);
    expect(harness.queue.steps).toEqual([]);
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('does not while others wait for the queue, nor when it has been at it for long', async () => {
    const crowded = await startOne('chain');
    harness.deps.admission.note(true);
    await runStepJob(goingOn(harness.deps), crowded.job);
    expect(await statuses(crowded.runId)).toEqual(['s1 succeeded', 's2 queued']);
    await endedByOthers(crowded.runId);
    harness.deps.admission.note(false);
    const late = await startOne('chain');
    await runStepJob(harness.deps, late.job);
    expect(await statuses(late.runId)).toEqual(['s1 succeeded', 's2 queued']);
    await endedByOthers(late.runId);
  });

  it('gives the next one back when it is to shut down, and a shutdown waits for that', async () => {
    const { runId, job } = await startOne('chain');
    const worker = goingOn(harness.secondWorker());
    worker.admission.note(false);
    let ended: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve) => {
      const stopping = afterFirstEnd(worker, () => {
        worker.held.drain();
        void worker.held.whenIdle().then(resolve);
      });
      ended = runStepJob(stopping, job);
    });
    const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
    expect(steps[1]).toMatchObject({ stepId: 's2', status: 'queued', releases: 1, attempt: 1, workerId: null });
    await ended;
    await endedByOthers(runId);
  });

  it('may die: the next step comes back when its lease has run out', async () => {
    const { runId, job } = await startOne('chain');
    const worker = goingOn(harness.secondWorker());
    worker.admission.note(false);
    const dying = afterFirstEnd(worker, () => {
      throw new Error('the process died');
    });
    await expect(runStepJob(dying, job)).rejects.toThrow('the process died');
    expect(await statuses(runId)).toEqual(['s1 succeeded', 's2 running']);
    await harness.database.run(
      (sql) => sql`update step_run set lease_until = now() - interval '1 second' where status = 'running'`,
    );
    await sweep(harness.deps);
    await endedByOthers(runId);
    const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
    expect(steps[1]).toMatchObject({ stepId: 's2', starts: 2, attempt: 1 });
  });
});
