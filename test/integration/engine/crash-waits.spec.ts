import {
  decideApproval,
  relay,
  runStepJob,
  sendSignal,
  sweep,
  type EngineDeps,
} from '../../../libs/engine/src/index.js';
import { crashingWorker, WorkerDied } from '../../support/crashing-worker.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'loops',
    defaults: { model: 'scripted:loops' },
    agents: { a: { tools: ['memory_write'] } },
    tools: { note: { kind: 'builtin', builtin: 'memory_write', requires_approval: true } },
    steps: [
      {
        id: 'each',
        for_each: ['x', 'y', 'z'],
        max_parallel: 2,
        do: {
          steps: [
            { id: 'work', agent: 'a', task: 'Go ${item}.' },
            { id: 'shout', depends_on: ['work'], transform: '${steps.work.output}!' },
          ],
        },
      },
      { id: 'ask', depends_on: ['each'], approval: { prompt: 'Fine?' } },
      { id: 'note', depends_on: ['ask'], tool: 'note', args: { key: 'said', value: '${steps.ask.output.decision}' } },
      { id: 'paid', depends_on: ['note'], wait_for: { signal: 'paid', key: '${run.id}' } },
      { id: 'call', depends_on: ['paid'], pipeline: 'small', inputs: { n: '${size(steps.each.output)}' } },
    ],
    output: '${[steps.each.output, steps.ask.output.decision, steps.paid.output, steps.call.output]}',
  });
  await harness.apply({
    name: 'small',
    inputs: { n: { type: 'integer', required: true } },
    steps: [{ id: 'twice', transform: '${inputs.n * 2}' }],
  });
  harness.scripts.set('loops', ({ position }) =>
    position.callNo === 1
      ? { tool_calls: [{ name: 'memory_write', arguments: { key: `k${position.item}`, value: 1 } }] }
      : { text: `item ${position.item}` },
  );
});
afterAll(() => harness.close());

async function survive(work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!(error instanceof WorkerDied)) throw error;
  });
}

/** What a worker and whoever decides do, as long as they live; then others take over until nothing moves. */
async function drive(deps: EngineDeps, runId: string): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) {
    for (const job of harness.queue.steps.splice(0)) await survive(() => runStepJob(deps, job));
    await survive(() => decideWhatIsOpen(deps, runId));
    if ((await harness.runRecord(runId)).endedAt !== null) return;
    // Time passes: leases run out, and what the dead one had taken from the queue is missed.
    await harness.database.run(
      (sql) => sql`update step_run set lease_until = now() - interval '1 second' where status = 'running'`,
    );
    await harness.database.run(
      (sql) =>
        sql`update step_run set dispatched_at = now() - interval '1 minute' where status = 'queued' and dispatched_at is not null`,
    );
    await survive(async () => void (await sweep(deps)));
    await survive(async () => void (await relay(deps)));
  }
}

async function decideWhatIsOpen(deps: EngineDeps, runId: string): Promise<void> {
  for (const step of await harness.deps.runs.stepRunsOf(PROJECT, runId)) {
    if (step.status !== 'waiting') continue;
    if (step.reason === 'signal')
      await sendSignal(deps, { projectId: PROJECT, name: 'paid', key: runId, payload: 'money' });
    for (const { approvalId, status } of await harness.deps.runs.approvalsOfStep(PROJECT, step.stepRunId))
      if (status === 'pending')
        await decideApproval(deps, {
          projectId: PROJECT,
          approvalId,
          decision: 'approve',
          form: null,
          comment: null,
          arguments: null,
          decidedBy: 'key_1',
        });
  }
}

async function runWithDeath(dieAfter: number | null): Promise<{ output: unknown; writes: number; status: string }> {
  const mortal = crashingWorker(harness.deps, dieAfter);
  const runId = await harness.start('loops', {});
  await drive(mortal.deps, runId);
  // The dead one's turns did nothing more: another goes on.
  await drive(harness.secondWorker(), runId);
  const run = await harness.runRecord(runId);
  await expectProjectionsEqualEvents(harness, runId);
  return { output: run.output, writes: mortal.writes(), status: run.status };
}

it('goes on after a crash behind each single write of loops, approvals, signals and child runs', async () => {
  const undisturbed = await runWithDeath(null);
  expect(undisturbed).toMatchObject({
    status: 'succeeded',
    output: [['item 0!', 'item 1!', 'item 2!'], 'approve', 'money', 6],
  });
  expect(undisturbed.writes).toBeGreaterThan(30);
  for (let dieAfter = 1; dieAfter < undisturbed.writes; dieAfter += 1) {
    const { output, status } = await runWithDeath(dieAfter);
    expect({ dieAfter, status, output }).toEqual({ dieAfter, status: 'succeeded', output: undisturbed.output });
  }
}, 240_000);
