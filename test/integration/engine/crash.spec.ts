import { canonicalJson, type StoredEvent } from '../../../libs/domain/src/index.js';
import { relay, runStepJob, sweep } from '../../../libs/engine/src/index.js';
import { crashingWorker, WorkerDied } from '../../support/crashing-worker.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'long',
    defaults: { model: 'scripted:long' },
    agents: { worker: { system_prompt: 'Work.', tools: ['memory_write', 'memory_read'] } },
    steps: [
      { id: 'work', agent: 'worker', task: 'Count.' },
      { id: 'after', depends_on: ['work'], transform: { said: '${steps.work.output}' } },
    ],
  });
  harness.scripts.set('long', {
    steps: {
      work: [
        { text: 'one', tool_calls: [{ name: 'memory_write', arguments: { key: 'a', value: 1 } }] },
        {
          tool_calls: [
            { name: 'memory_write', arguments: { key: 'b', value: 2 } },
            { name: 'memory_write', arguments: { key: 'c', value: 3 } },
          ],
        },
        { tool_calls: [{ name: 'memory_read', arguments: {} }] },
        { text: 'counted' },
      ],
    },
  });
});
afterAll(() => harness.close());

/** What must be equal to the undisturbed run: the conversation's entries, and the hash of each call's context. */
function comparable(events: readonly StoredEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.entry !== null)
      return [`${event.type} #${event.entry} ${canonicalJson(JSON.parse(JSON.stringify(event.data)))}`];
    return event.type === 'LlmCallStarted' ? [`call ${event.data.call_no} ${event.data.context_hash}`] : [];
  });
}

async function loseLeases(): Promise<void> {
  await harness.database.run(
    (sql) => sql`update step_run set lease_until = now() - interval '1 second' where status = 'running'`,
  );
}

/** Runs the pipeline on a worker that dies after its nth write, then on healthy ones until it ends. */
async function runWithDeath(
  dieAfter: number | null,
): Promise<{ events: StoredEvent[]; writes: number; asked: number; status: string }> {
  const askedBefore = harness.scripts.calls('long').length;
  const worker = crashingWorker(harness.deps, dieAfter);
  const runId = await harness.start('long', {});
  const jobs = harness.queue.steps.splice(0);
  for (const job of jobs) {
    await runStepJob(worker.deps, job).catch((error: unknown) => {
      if (!(error instanceof WorkerDied)) throw error;
    });
  }
  await loseLeases();
  const healthy = harness.secondWorker();
  await harness.queue.drain(healthy);
  await sweep(healthy);
  await relay(healthy);
  await harness.queue.drain(healthy);
  const run = await harness.runRecord(runId);
  return {
    events: await harness.events(`${run.streamId}:step:work`),
    writes: worker.writes(),
    asked: harness.scripts.calls('long').length - askedBefore,
    status: run.status,
  };
}

it('goes on after a crash behind each single write, with the conversation and the hashes of an undisturbed run', async () => {
  const undisturbed = await runWithDeath(null);
  expect(undisturbed).toMatchObject({ status: 'succeeded', asked: 4 });
  expect(undisturbed.writes).toBeGreaterThan(12);
  for (let dieAfter = 1; dieAfter <= undisturbed.writes; dieAfter += 1) {
    const disturbed = await runWithDeath(dieAfter);
    expect({ dieAfter, status: disturbed.status }).toEqual({ dieAfter, status: 'succeeded' });
    expect(comparable(disturbed.events)).toEqual(comparable(undisturbed.events));
    const completed = disturbed.events.filter((event) => event.type === 'LlmCallCompleted').length;
    expect({ dieAfter, completed }).toEqual({ dieAfter, completed: 4 });
    // At most the one call in flight is asked twice; a completed one never.
    expect(disturbed.asked).toBeLessThanOrEqual(5);
  }
}, 120_000);

it('lets no worker write that lost its lease', async () => {
  const runId = await harness.start('long', {});
  const [job] = harness.queue.steps.splice(0);
  if (job === undefined) throw new Error('no job was pushed');
  const claimed = await harness.deps.runs.claimStep({ ...job, workerId: 'sleeper', leaseMs: 1_000 });
  await loseLeases();
  // The queue delivers the same job again: its number has been claimed, and only the sweeper gives another one.
  expect(await harness.deps.runs.claimStep({ ...job, workerId: 'taker', leaseMs: 60_000 })).toBeNull();
  await sweep(harness.deps);
  const again = harness.queue.steps.splice(0).find(({ stepRunId }) => stepRunId === job.stepRunId);
  if (again === undefined) throw new Error('the step was not dispatched again');
  const taken = await harness.deps.runs.claimStep({ ...again, workerId: 'taker', leaseMs: 60_000 });
  expect(taken?.step.fence).toBeGreaterThan(claimed?.step.fence ?? 0);
  const [result] = await harness.deps.log.append([
    {
      projectId: PROJECT,
      streamId: `${runId}:step:work`,
      events: [],
      fence: { kind: 'step', id: job.stepRunId, fence: claimed?.step.fence ?? 0 },
    },
  ]);
  expect(result?.status).toBe('fenced_out');
});
