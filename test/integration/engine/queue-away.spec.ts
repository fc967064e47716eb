import { startRun } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

// Row C5. What Redis itself does while it is away: libs/queue/src/redis-away.spec.ts, apps/worker/src/worker.spec.ts.
describe('a run that is started while the queue never answers', () => {
  let harness: EngineHarness;
  beforeAll(async () => {
    harness = await createEngineHarness();
    await harness.apply({ name: 'one', steps: [{ id: 'a', transform: { n: 1 } }], output: '${steps.a.output}' });
  });
  afterAll(() => harness.close());

  it('is accepted, and its step is left for the relay', async () => {
    let answer: (room: number) => void = () => undefined;
    const room = (): Promise<number> => new Promise((resolve) => (answer = resolve));
    const queue = new Proxy(harness.queue, {
      get: (target, name, receiver) => (name === 'room' ? room : (Reflect.get(target, name, receiver) as unknown)),
    });
    const deps = { ...harness.deps, queue, settings: { ...harness.deps.settings, wakeUpWaitMs: 1 } };
    const command = {
      ...{ projectId: PROJECT, pipeline: 'one', version: null, inputs: {}, streamId: null, tags: [], metadata: {} },
      ...{ priority: 0, deadlineAt: null, idempotencyKey: null },
    };
    const started = await startRun(deps, command);
    if (started.status !== 'started') throw new Error(JSON.stringify(started));
    const [step] = await deps.runs.stepRunsOf(PROJECT, started.runId);
    expect(step).toMatchObject({ status: 'queued', dispatchedAt: null });
    await expect(harness.untilEnded(started.runId)).resolves.toMatchObject({ status: 'succeeded' });
    answer(0);
  });
});
