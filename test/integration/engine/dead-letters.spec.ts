import { relay, retryRun, runStepJob, sweep, discardDeadLetter } from '../../../libs/engine/src/index.js';
import { crashingWorker, WorkerDied } from '../../support/crashing-worker.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectExplained } from '../../support/explained.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'poison',
    defaults: { model: 'scripted:poison' },
    agents: { a: { tools: ['memory_write'] } },
    steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
  });
});
afterAll(() => harness.close());

const deadRun = async (runId: string) => {
  const events = await harness.events(runId);
  const dead = events.find((event) => event.type === 'StepDeadLettered');
  if (dead?.type !== 'StepDeadLettered') throw new Error('no dead letter');
  return dead.data;
};

/** Workers take the step until it is given up or ended; `during` is what happens while the model is asked. */
async function workUntilOver(
  runId: string,
  during: (worker: { kill: () => void }, callNo: number) => void,
): Promise<number> {
  let deaths = 0;
  while ((await harness.runRecord(runId)).endedAt === null) {
    const worker = crashingWorker(harness.secondWorker(), null);
    harness.scripts.set('poison', ({ position }) => {
      during(worker, position.callNo);
      return position.callNo === 1
        ? { tool_calls: [{ name: 'memory_write', arguments: { key: 'k', value: 'v' } }] }
        : position.callNo < 6
          ? { tool_calls: [{ name: 'memory_write', arguments: { key: 'k', value: position.callNo } }] }
          : { text: 'done' };
    });
    const [job] = harness.queue.steps.splice(0);
    if (job === undefined) throw new Error('no job');
    await runStepJob(worker.deps, job).catch((error: unknown) => {
      if (!(error instanceof WorkerDied)) throw error;
      deaths += 1;
    });
    await harness.database.run(
      (sql) => sql`update step_run set lease_until = now() - interval '1 second' where status = 'running'`,
    );
    await sweep(harness.deps);
    await relay(harness.deps);
  }
  return deaths;
}

it('gives up a step that takes down three workers in a row at the same place, and says all that is known of it', async () => {
  const runId = await harness.start('poison', {});
  const deaths = await workUntilOver(runId, (worker, callNo) => {
    if (callNo === 2) worker.kill();
  });
  // The first worker got through a call; it and its two successors died in the second.
  expect(deaths).toBe(3);
  const run = await harness.runRecord(runId);
  expect(run).toMatchObject({ status: 'dead_letter', error: { code: 'lease_expiries', step_id: 'work' } });
  const { diagnosis } = await deadRun(runId);
  expect(diagnosis).toMatchObject({ starts: 3, stalls: 3, attempt: 1, last_event: { type: 'StepStarted' } });
  expect(Number(diagnosis['worker_bytes'])).toBeGreaterThan(1024 * 1024);
  expect(diagnosis['stored']).toMatchObject({ events: expect.any(Number), bytes: expect.any(Number) });
  expect(run.error?.detail).toContain('events of it are stored');
  expect(run.error?.detail).toContain(`last worker ${diagnosis['worker_id'] as string}`);
  await expectExplained(harness, runId);
  await expectProjectionsEqualEvents(harness, runId);
  // Redrive: it goes on behind the call that was made.
  expect(await retryRun(harness.deps, { projectId: PROJECT, runId, version: 'pinned' })).toMatchObject({
    status: 'retried',
  });
  await workUntilOver(runId, () => undefined);
  expect((await harness.runRecord(runId)).status).toBe('succeeded');
});

it('lets a step go on that loses a worker after each call, however often', async () => {
  const runId = await harness.start('poison', {});
  const died = new Set<number>();
  const deaths = await workUntilOver(runId, (worker, callNo) => {
    if (died.has(callNo)) return;
    died.add(callNo);
    worker.kill();
  });
  expect(deaths).toBe(6);
  expect((await harness.runRecord(runId)).status).toBe('succeeded');
  const [step] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  expect(step).toMatchObject({ attempt: 1, starts: 7 });
});

it('counts a discarded dead letter as failed', async () => {
  const runId = await harness.start('poison', {});
  await workUntilOver(runId, (worker) => worker.kill());
  const [step] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  const at = { projectId: PROJECT, stepRunId: step?.stepRunId ?? '' };
  expect(await discardDeadLetter(harness.deps, at)).toEqual({ status: 'discarded', runId });
  expect((await harness.runRecord(runId)).status).toBe('failed');
  // Whoever found it dead and redrives it only now comes too late.
  const redrive = { projectId: PROJECT, runId, version: 'pinned', deadStepRunId: at.stepRunId } as const;
  expect(await retryRun(harness.deps, redrive)).toEqual({ status: 'not_dead' });
  expect((await harness.runRecord(runId)).status).toBe('failed');
  await expectProjectionsEqualEvents(harness, runId);
});
