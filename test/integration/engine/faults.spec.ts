import { cancelRun, relay, runStepJob, sweep, type EngineDeps, type StepJob } from '../../../libs/engine/src/index.js';
import { crashingWorker, WorkerDied } from '../../support/crashing-worker.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  const agents = { a: { tools: ['memory_write'] } };
  const defaults = { model: 'scripted:faults', retry: { max_attempts: 2, backoff: '1ms', jitter: false } };
  const work = { id: 'work', agent: 'a', task: 'Go.' };
  await harness.apply({ name: 'faults', defaults, agents, steps: [work] });
  await harness.apply({ name: 'timed', defaults, agents, steps: [{ ...work, timeout: '10m' }] });
  await harness.apply({
    name: 'handled',
    defaults,
    agents,
    steps: [
      { ...work, on_error: { goto: 'apology' } },
      { id: 'apology', transform: 'sorry' },
    ],
    output: '${steps.apology.output}',
  });
});
beforeEach(() => harness.scripts.set('faults', () => ({ text: 'done' })));
afterEach(() => void harness.queue.steps.splice(0));
afterAll(() => harness.close());

const sql: EngineHarness['database']['run'] = (work) => harness.database.run(work);

const loseLeases = (): Promise<unknown> =>
  sql((session) => session`update step_run set lease_until = now() - interval '1 second' where status = 'running'`);

async function startOne(pipeline: string): Promise<{ runId: string; job: StepJob }> {
  const runId = await harness.start(pipeline, {});
  const [job] = harness.queue.steps.splice(0);
  if (job === undefined) throw new Error('no job');
  return { runId, job };
}

/** A worker claims the step and dies in its model call. */
async function dieAtWork(job: StepJob): Promise<void> {
  const worker = crashingWorker(harness.secondWorker(), null);
  harness.scripts.set('faults', () => {
    worker.kill();
    return { text: 'said to a dead worker' };
  });
  await runStepJob(worker.deps, job).catch((error: unknown) => {
    if (!(error instanceof WorkerDied)) throw error;
  });
  harness.scripts.set('faults', () => ({ text: 'done' }));
}

describe('the sweeper', () => {
  it('mends the other rows when one cannot be, and that one the next time', async () => {
    const runs = [await startOne('faults'), await startOne('faults'), await startOne('faults')];
    for (const { job } of runs) await dieAtWork(job);
    await loseLeases();
    let asked = 0;
    const flaky: EngineDeps = {
      ...harness.deps,
      runs: {
        ...harness.deps.runs,
        transact: (work) => {
          asked += 1;
          return asked === 1 ? Promise.reject(new Error('the database went away')) : harness.deps.runs.transact(work);
        },
      },
    };
    const report = await sweep(flaky);
    expect(report).toMatchObject({ failures: 1, expiredLeases: 2 });
    await sweep(harness.deps);
    await relay(harness.deps);
    await harness.queue.drain(harness.deps);
    for (const { runId } of runs) expect((await harness.runRecord(runId)).status).toBe('succeeded');
  });

  it('works side by side with others: each looks again under the lock', async () => {
    const { runId, job } = await startOne('faults');
    await dieAtWork(job);
    await loseLeases();
    const reports = await Promise.all([sweep(harness.deps), sweep(harness.deps), sweep(harness.deps)]);
    expect(reports.every(({ failures }) => failures === 0)).toBe(true);
    const [step] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
    expect(step).toMatchObject({ status: 'queued', dispatchNo: 2, stalls: 1, attempt: 1 });
    await relay(harness.deps);
    await harness.queue.drain(harness.deps);
  });

  it('ends a run at its deadline and a step at its time although all workers are dead', async () => {
    const { runId, job } = await startOne('faults');
    await dieAtWork(job);
    await sql((session) => session`update run set timeout_at = now() - interval '1 second' where run_id = ${runId}`);
    await sweep(harness.deps);
    expect((await harness.runRecord(runId)).status).toBe('cancelling');
    await loseLeases();
    await sweep(harness.deps);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'timed_out', error: { code: 'run_timeout' } });
    await expectProjectionsEqualEvents(harness, runId);
    const timed = await startOne('timed');
    await dieAtWork(timed.job);
    await sql(
      (session) => session`update step_run set timeout_at = now() - interval '1 second' where run_id = ${timed.runId}`,
    );
    await sweep(harness.deps);
    const [step] = await harness.deps.runs.stepRunsOf(PROJECT, timed.runId);
    expect(step).toMatchObject({ status: 'waiting', attempt: 2, error: { code: 'step_timeout' } });
    await cancelRun(harness.deps, { projectId: PROJECT, runId: timed.runId, reason: null });
  });

  it('lets the next attempt of a step begin only when the one that hangs past its time cannot write any more', async () => {
    const { runId, job } = await startOne('timed');
    let answer = (_: { text: string }): void => undefined;
    const hangs = new Promise<void>((resolve) => {
      harness.scripts.set('faults', () => {
        const reply = new Promise<{ text: string }>((said) => (answer = said));
        resolve();
        return reply;
      });
    });
    const late = runStepJob(harness.secondWorker(), job);
    await hangs;
    await sql(
      (session) => session`update step_run set timeout_at = now() - interval '1 second' where run_id = ${runId}`,
    );
    await sweep(harness.deps);
    const [waiting] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
    expect(waiting).toMatchObject({ status: 'waiting', reason: 'timer', attempt: 2, workerId: null });
    const before = (await harness.events(`${runId}:step:work`)).length;
    answer({ text: 'too late' });
    await late;
    expect((await harness.events(`${runId}:step:work`)).length).toBe(before);
    harness.scripts.set('faults', () => ({ text: 'in time' }));
    expect(await harness.untilEnded(runId)).toMatchObject({ status: 'succeeded', output: 'in time' });
  });
});

it('a clock that is wrong by five minutes ends nothing early and nothing late', async () => {
  for (const wrongBy of [-300_000, 300_000]) {
    const deps = { ...harness.secondWorker(), now: () => new Date(Date.now() + wrongBy) };
    const { runId, job } = await startOne('timed');
    await runStepJob(deps, job);
    expect((await harness.runRecord(runId)).status).toBe('succeeded');
    const dead = await startOne('timed');
    await dieAtWork(dead.job);
    await sweep(deps);
    expect((await harness.deps.runs.stepRunsOf(PROJECT, dead.runId))[0]?.status).toBe('running');
    await sql(
      (session) => session`update step_run set timeout_at = now() - interval '1 second' where run_id = ${dead.runId}`,
    );
    await sweep(deps);
    expect((await harness.deps.runs.stepRunsOf(PROJECT, dead.runId))[0]).toMatchObject({
      status: 'waiting',
      attempt: 2,
    });
    await cancelRun(harness.deps, { projectId: PROJECT, runId: dead.runId, reason: null });
  }
});

it('a process that drains never claims: it gives the job back under a new number', async () => {
  const { runId, job } = await startOne('faults');
  const draining = harness.secondWorker();
  draining.held.drain();
  await runStepJob(draining, job);
  const [step] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  expect(step).toMatchObject({ status: 'queued', starts: 0, dispatchNo: 2, dispatchedAt: null });
  await relay(harness.deps);
  await harness.queue.drain(harness.deps);
  expect((await harness.runRecord(runId)).status).toBe('succeeded');
});

it('a cancel between the model and its tools: the tools are not called', async () => {
  const { runId, job } = await startOne('faults');
  const worker = harness.secondWorker();
  harness.scripts.set('faults', async () => {
    await cancelRun(worker, { projectId: PROJECT, runId, reason: null });
    return { tool_calls: [{ name: 'memory_write', arguments: { key: 'k', value: 1 } }] };
  });
  await runStepJob(worker, job);
  expect((await harness.runRecord(runId)).status).toBe('cancelled');
  const events = await harness.events(`${runId}:step:work`);
  expect(events.filter(({ type }) => type === 'ToolCallStarted')).toEqual([]);
});

it('on_error runs for every way in which a step ends badly, also when its workers died', async () => {
  const { runId, job } = await startOne('handled');
  await dieAtWork(job);
  for (let death = 2; death <= 3; death += 1) {
    await loseLeases();
    await sweep(harness.deps);
    await relay(harness.deps);
    const [again] = harness.queue.steps.splice(0);
    if (again !== undefined) await dieAtWork(again);
  }
  await loseLeases();
  await sweep(harness.deps);
  await relay(harness.deps);
  await harness.queue.drain(harness.deps);
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'sorry' });
  const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  expect(steps.map(({ status }) => status)).toEqual(['dead_letter', 'succeeded']);
});
