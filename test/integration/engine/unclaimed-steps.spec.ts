import type { Json } from '../../../libs/domain/src/index.js';
import {
  cancelRun,
  drain,
  heartbeat,
  relay,
  runStepJob,
  type EngineDeps,
  type RunStore,
  type ToolInvocation,
  type ToolOutcome,
} from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { waitFor } from '../../support/index.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

const EFFECTS = ['read_only', 'idempotent', 'idempotent_with_key', 'non_idempotent'] as const;

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  const first = { id: 'first', transform: 1 };
  const last = { id: 'last', depends_on: ['work'], transform: '${steps.work.output}' };
  await harness.apply({
    name: 'transforms',
    steps: [first, { id: 'work', depends_on: ['first'], transform: 2 }, last],
  });
  for (const effect of EFFECTS)
    await harness.apply({
      name: effect,
      tools: { look: { kind: 'builtin', builtin: 'memory_read', effect } },
      steps: [first, { id: 'work', depends_on: ['first'], tool: 'look', args: {} }, last],
    });
  await harness.apply({
    name: 'writes-memory',
    tools: { put: { kind: 'builtin', builtin: 'memory_write', effect: 'idempotent' } },
    steps: [first, { id: 'work', depends_on: ['first'], tool: 'put', args: { key: 'k', value: 'v' } }, last],
  });
  await harness.apply({
    name: 'hurried',
    tools: { look: { kind: 'builtin', builtin: 'memory_read', effect: 'read_only' } },
    steps: [first, { id: 'work', depends_on: ['first'], tool: 'look', args: {}, timeout: '500ms' }, last],
  });
  // From here on the store knows the database's clock, and the relay has found nothing waiting.
  await harness.run('transforms', {});
}, 60_000);
afterAll(() => harness.close());
beforeEach(() => harness.deps.admission.note(false));

type Worker = { deps: EngineDeps; claims: string[]; calls: () => number };

/** A worker whose claims are counted, and whose tools do what the test says. */
function watched(invoke: (invocation: ToolInvocation, tools: EngineDeps['tools']) => Promise<ToolOutcome>): Worker {
  const { deps } = harness;
  const claims: string[] = [];
  let calls = 0;
  const claimStep: RunStore['claimStep'] = (claim) => {
    claims.push(claim.stepRunId);
    return deps.runs.claimStep(claim);
  };
  const tools: EngineDeps['tools'] = {
    ...deps.tools,
    invoke: (invocation) => {
      calls += 1;
      return invoke(invocation, deps.tools);
    },
  };
  return { deps: { ...deps, runs: { ...deps.runs, claimStep }, tools }, claims, calls: () => calls };
}

const asDeclared = (): Worker => watched((invocation, tools) => tools.invoke(invocation));

/** A run whose first step has ended: `job` is the second one's, which the same process has pushed. */
async function atWork(pipeline: string, worker: Worker) {
  const runId = await harness.start(pipeline, {});
  const [first] = harness.queue.steps.splice(0);
  await runStepJob(worker.deps, first!);
  const [job] = harness.queue.steps.splice(0);
  worker.claims.length = 0;
  return { runId, job: job! };
}

const workOf = async (runId: string) =>
  (await harness.deps.runs.stepRunsOf(PROJECT, runId)).find(({ stepId }) => stepId === 'work')!;

async function endedAsUsual(runId: string): Promise<void> {
  await relay(harness.deps);
  await harness.queue.drain(harness.deps);
  expect((await harness.runRecord(runId)).status).toBe('succeeded');
  await expectProjectionsEqualEvents(harness, runId);
}

describe('a step that its own process made runnable', () => {
  it.each(['transforms', 'read_only', 'idempotent'])(
    'ends without a claim where it may simply be repeated (%s), and tells the same story',
    async (pipeline) => {
      const worker = asDeclared();
      const { runId, job } = await atWork(pipeline, worker);
      await runStepJob(worker.deps, job);
      expect(worker.claims).toEqual([]);
      const work = await workOf(runId);
      expect(work).toMatchObject({ status: 'succeeded', starts: 1, dispatchNo: 1, leaseUntil: null, workerId: null });
      expect(Date.parse(work.startedAt!)).toBeLessThanOrEqual(Date.parse(work.endedAt!));
      await endedAsUsual(runId);
      const claimed = await harness.start(pipeline, {});
      await harness.queue.drain(harness.secondWorker());
      await endedAsUsual(claimed);
      const story = async (id: string): Promise<Json[]> =>
        (await harness.events(id)).map(({ type, stepId }): Json => [type, stepId]);
      expect(await story(runId)).toEqual(await story(claimed));
    },
  );

  it.each(['idempotent_with_key', 'non_idempotent', 'hurried'])('is claimed first else (%s)', async (pipeline) => {
    const worker = asDeclared();
    const { runId, job } = await atWork(pipeline, worker);
    await runStepJob(worker.deps, job);
    expect(worker.claims).toEqual([job.stepRunId]);
    await endedAsUsual(runId);
  });

  it('is claimed while it runs, once it takes longer, and is then held like any other', async () => {
    let answer: (outcome: ToolOutcome) => void = () => undefined;
    const worker = watched(() => new Promise((resolve) => (answer = resolve)));
    const { runId, job } = await atWork('read_only', worker);
    const settings = { ...worker.deps.settings, claimAfterMs: 1 };
    const ended = runStepJob({ ...worker.deps, settings }, job);
    await waitFor(async () => (await workOf(runId)).status === 'running');
    const before = (await workOf(runId)).leaseUntil!;
    await heartbeat(worker.deps);
    expect(Date.parse((await workOf(runId)).leaseUntil!)).toBeGreaterThan(Date.parse(before));
    answer({ status: 'ok', content: 'looked' });
    await ended;
    expect([worker.claims, worker.calls()]).toEqual([[job.stepRunId], 1]);
    expect(await workOf(runId)).toMatchObject({ status: 'succeeded', starts: 1 });
    await endedAsUsual(runId);
  });

  it('is claimed to be told of as failed, and its tool is called once', async () => {
    const worker = watched(() => Promise.resolve({ status: 'error', content: 'no', retryable: false }));
    const { runId, job } = await atWork('read_only', worker);
    await runStepJob(worker.deps, job);
    expect([worker.claims, worker.calls()]).toEqual([[job.stepRunId], 1]);
    expect(await workOf(runId)).toMatchObject({ status: 'failed', starts: 1, attempt: 1 });
    expect((await harness.runRecord(runId)).error).toMatchObject({ code: 'tool_failed', step_id: 'work' });
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('is claimed to be told of as broken', async () => {
    const worker = watched(() => Promise.reject(new Error('a bug')));
    const { runId, job } = await atWork('read_only', worker);
    await runStepJob(worker.deps, job);
    expect(await workOf(runId)).toMatchObject({
      status: 'waiting',
      attempt: 2,
      starts: 1,
      error: { code: 'internal_error' },
    });
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('is claimed before its tool writes to the memory', async () => {
    const worker = asDeclared();
    const { runId, job } = await atWork('writes-memory', worker);
    await runStepJob(worker.deps, job);
    expect(worker.claims).toEqual([job.stepRunId]);
    await endedAsUsual(runId);
    expect((await harness.events(runId)).filter(({ type }) => type === 'MemoryWritten')).toHaveLength(1);
  });

  it('ends once when somebody else claims it meanwhile', async () => {
    const other = harness.secondWorker();
    const worker = watched(async (invocation, tools) => {
      await runStepJob(other, job);
      return tools.invoke(invocation);
    });
    const { runId, job } = await atWork('read_only', worker);
    await runStepJob(worker.deps, job);
    expect(await workOf(runId)).toMatchObject({ status: 'succeeded', starts: 1 });
    expect(worker.claims).toEqual([]);
    await endedAsUsual(runId);
    const ends = (await harness.events(runId)).filter(
      ({ type, stepId }) => type === 'StepSucceeded' && stepId === 'work',
    );
    expect(ends).toHaveLength(1);
  });

  it('writes nothing of it when its run is cancelled meanwhile', async () => {
    const worker = watched(async (invocation, tools) => {
      await cancelRun(harness.deps, { projectId: PROJECT, runId: runId(), reason: 'enough' });
      return tools.invoke(invocation);
    });
    const begun = await atWork('read_only', worker);
    const runId = (): string => begun.runId;
    await runStepJob(worker.deps, begun.job);
    expect((await harness.runRecord(begun.runId)).status).toBe('cancelled');
    expect((await workOf(begun.runId)).status).toBe('cancelled');
    await expectProjectionsEqualEvents(harness, begun.runId);
  });

  it('is written under the lock when its run has changed otherwise', async () => {
    const worker = watched(async (invocation, tools) => {
      await harness.deps.runs.transact(async (tx) => {
        await tx.lockRun(PROJECT, begun.runId);
        await tx.updateRun(PROJECT, begun.runId, { tags: ['changed'] });
      });
      return tools.invoke(invocation);
    });
    const begun = await atWork('read_only', worker);
    await runStepJob(worker.deps, begun.job);
    expect(worker.claims).toEqual([]);
    expect(await workOf(begun.runId)).toMatchObject({ status: 'succeeded', starts: 1, usage: { toolCalls: 1 } });
    await endedAsUsual(begun.runId);
  });

  it('is given back by a process that shuts down, which waits for that', async () => {
    const worker = watched(
      ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ status: 'cancelled', content: 'stopped' }), { once: true }),
        ),
    );
    const stopping = harness.secondWorker();
    const { runId, job } = await atWork('read_only', worker);
    const ended = runStepJob({ ...worker.deps, held: stopping.held }, job);
    await waitFor(() => Promise.resolve(worker.calls() === 1));
    expect(await drain(stopping.held, 10)).toEqual({ left: 0 });
    await ended;
    expect(await workOf(runId)).toMatchObject({ status: 'queued', attempt: 1, releases: 1 });
    await endedAsUsual(runId);
  });

  it('is found again after its process died', async () => {
    const worker = watched(() => new Promise(() => undefined));
    const { runId, job } = await atWork('read_only', worker);
    const dead = {
      ...worker.deps,
      runs: { ...worker.deps.runs, claimStep: () => new Promise<never>(() => undefined) },
    };
    void runStepJob(dead, job);
    await waitFor(() => Promise.resolve(worker.calls() === 1));
    expect((await workOf(runId)).status).toBe('queued');
    // As the sweeper does with a job that the queue has lost.
    await harness.deps.runs.redispatch([job]);
    await endedAsUsual(runId);
  });
});
