import { drain, handleStepJob, type EngineDeps, type StepJob } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { waitFor } from '../../support/index.js';

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
});
afterAll(() => harness.close());

/** A worker whose queue says nothing about what it is given until the test lets it. */
function withSilentQueue(worker: EngineDeps) {
  const pushed: StepJob[] = [];
  let answer: (error?: Error) => void = () => undefined;
  const push = (jobs: readonly StepJob[]): Promise<void> => {
    pushed.push(...jobs);
    return new Promise((resolve, reject) => {
      answer = (error) => (error === undefined ? resolve() : reject(error));
    });
  };
  const queue = new Proxy(worker.queue, {
    get: (target, name, receiver) => (name === 'push' ? push : (Reflect.get(target, name, receiver) as unknown)),
  });
  return { deps: { ...worker, queue }, pushed, answer: (error?: Error) => answer(error) };
}

async function firstJob(): Promise<{ runId: string; job: StepJob }> {
  const runId = await harness.start('two', {});
  const [job] = harness.queue.steps.splice(0);
  if (job === undefined) throw new Error('the first step was not pushed');
  return { runId, job };
}

describe('the job of a step', () => {
  // As after a look of the relay that found nothing waiting.
  beforeEach(() => harness.deps.admission.note(false));

  it('ends when the next step is on its way to the queue, and a shutdown waits for the answer', async () => {
    const { runId, job } = await firstJob();
    const { deps, pushed, answer } = withSilentQueue(harness.secondWorker());
    deps.admission.note(false);
    const { wakeUps } = await handleStepJob(deps, job);
    expect(pushed).toHaveLength(1);
    const draining = drain(deps.held, 60_000);
    await expect(Promise.race([draining.then(() => 'drained'), Promise.resolve('waits')])).resolves.toBe('waits');
    answer();
    await wakeUps;
    await expect(draining).resolves.toEqual({ left: 0 });
    harness.queue.steps.push(...pushed);
    await harness.queue.drain(harness.deps);
    expect((await harness.runRecord(runId)).status).toBe('succeeded');
  });

  it('leaves the next step to the relay when the queue refuses it after that', async () => {
    const { runId, job } = await firstJob();
    const { deps, pushed, answer } = withSilentQueue(harness.secondWorker());
    deps.admission.note(false);
    await handleStepJob(deps, job);
    expect(pushed).toHaveLength(1);
    answer(new Error('Redis is away'));
    await waitFor(async () => {
      const [, next] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
      return next?.status === 'queued' && next.dispatchedAt === null;
    });
    await expect(harness.untilEnded(runId)).resolves.toMatchObject({ status: 'succeeded' });
  });
});
