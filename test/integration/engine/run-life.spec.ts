import { evolve, initialRunState, type Json } from '../../../libs/domain/src/index.js';
import { cancelRun, explainRun, relay, retryRun, runStepJob, startRun, sweep } from '../../../libs/engine/src/index.js';
import { waitFor } from '../../support/wait-for.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'one',
    inputs: { text: { type: 'string', default: 'hello' } },
    defaults: { model: 'scripted:one', retry: { max_attempts: 2, backoff: '1ms', jitter: false } },
    agents: { helper: { system_prompt: 'Help.' } },
    steps: [
      { id: 'work', agent: 'helper', task: '${inputs.text}' },
      { id: 'after', depends_on: ['work'], transform: 'after ${steps.work.output}' },
    ],
  });
  await harness.apply({
    name: 'short',
    timeout: '50ms',
    defaults: { model: 'scripted:one' },
    agents: { helper: {} },
    steps: [{ id: 'work', agent: 'helper', task: 'Go.' }],
  });
  await harness.apply({
    name: 'slow-step',
    defaults: { model: 'scripted:one', retry: { max_attempts: 1 } },
    agents: { helper: {} },
    steps: [{ id: 'work', agent: 'helper', task: 'Go.', timeout: '50ms' }],
  });
});
afterAll(() => harness.close());

async function rebuilt(runId: string) {
  const run = await harness.runRecord(runId);
  const events = (await harness.events(run.streamId)).filter((event) => event.runId === runId);
  return events.reduce(evolve, initialRunState);
}

/** The projections must say what the events say. */
async function expectProjectionsEqualEvents(runId: string): Promise<void> {
  const run = await harness.runRecord(runId);
  const state = await rebuilt(runId);
  expect(state).toMatchObject({ status: run.status, output: run.output, error: run.error });
  const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  const plain = ({ stepId, item, round, status, reason, attempt, output, error }: (typeof state.steps)[number]) => ({
    stepId,
    item,
    round,
    status,
    reason,
    attempt,
    output,
    error,
  });
  expect(state.steps.map(plain)).toEqual(steps.map(plain));
}

describe('starting', () => {
  it('makes one run of fifty equal requests with one key', async () => {
    const command = {
      projectId: PROJECT,
      pipeline: 'one',
      version: null,
      inputs: {},
      streamId: null,
      tags: [],
      metadata: {},
      priority: 0,
      deadlineAt: null,
      idempotencyKey: 'k1',
    };
    const results = await Promise.all(Array.from({ length: 50 }, () => startRun(harness.deps, command)));
    expect(results.filter(({ status }) => status === 'started')).toHaveLength(1);
    expect(new Set(results.map((result) => ('runId' in result ? result.runId : result.status))).size).toBe(1);
    expect(await startRun(harness.deps, { ...command, inputs: { text: 'other' } })).toEqual({ status: 'key_mismatch' });
    harness.scripts.set('one', { steps: { work: [{ text: 'ok' }] } });
    await harness.queue.drain(harness.deps);
  });

  it('accepts runs while the queue is away and starts them when it is back', async () => {
    harness.scripts.set('one', { steps: { work: [{ text: 'ok' }] } });
    harness.queue.isAway = true;
    const runId = await harness.start('one', {});
    harness.queue.isAway = false;
    expect(harness.queue.steps).toHaveLength(0);
    await relay(harness.deps);
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'after ok' });
    await expectProjectionsEqualEvents(runId);
  });

  it('queues a second run on a busy stream, says so, and starts it when the first has ended', async () => {
    harness.scripts.set('one', { steps: { work: [{ text: 'ok' }] } });
    const first = await harness.start('one', {}, { streamId: 'busy' });
    const second = await harness.start('one', {}, { streamId: 'busy' });
    expect(await harness.runRecord(second)).toMatchObject({ status: 'queued', statusReason: 'stream_busy' });
    const explained = await explainRun(harness.deps, PROJECT, second);
    expect(explained).toMatchObject({
      status_reason: 'stream_busy',
      blocked_on: [{ kind: 'run', id: first }],
      allowed_actions: ['cancel'],
    });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(first)).toMatchObject({ status: 'succeeded' });
    expect(await harness.runRecord(second)).toMatchObject({ status: 'succeeded' });
  });
});

describe('failing', () => {
  it('retries what may pass, after its back-off, and counts the attempt', async () => {
    harness.scripts.set('one', { steps: { work: [[{ failure: { class: 'overloaded' } }, { text: 'second' }]] } });
    const runId = await harness.start('one', {});
    await harness.queue.drain(harness.deps);
    const explained = await explainRun(harness.deps, PROJECT, runId);
    expect(explained).toMatchObject({ status: 'waiting', status_reason: 'timer' });
    await harness.untilEnded(runId);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'after second' });
    const [step] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
    expect(step).toMatchObject({ attempt: 2, starts: 2 });
    await expectProjectionsEqualEvents(runId);
  });

  it('fails the run when attempts are used up, and skips what depends on the step', async () => {
    harness.scripts.set('one', {
      steps: { work: [[{ failure: { class: 'overloaded' } }, { failure: { class: 'overloaded' } }]] },
    });
    const runId = await harness.start('one', {});
    await harness.untilEnded(runId);
    expect(await harness.runRecord(runId)).toMatchObject({
      status: 'failed',
      error: { code: 'overloaded', step_id: 'work' },
    });
    await expectProjectionsEqualEvents(runId);
  });

  it('makes a dead letter of a step whose workers die three times without progress, and leaves others alone', async () => {
    harness.scripts.set('one', { steps: { work: [{ text: 'ok' }] } });
    const runId = await harness.start('one', {});
    for (let death = 1; death <= 3; death += 1) {
      const [job] = harness.queue.steps.splice(0);
      if (job === undefined) throw new Error(`no job before death ${death}`);
      await harness.deps.runs.claimStep({ ...job, workerId: `w${death}`, leaseMs: 1_000 });
      await harness.database.run(
        (sql) =>
          sql`update step_run set lease_until = now() - interval '1 second' where step_run_id = ${job.stepRunId}`,
      );
      await sweep(harness.deps);
    }
    const run = await harness.runRecord(runId);
    expect(run).toMatchObject({ status: 'dead_letter', error: { code: 'lease_expiries', step_id: 'work' } });
    expect(run.error?.detail).toContain('w3');
    const other = await harness.run('one', {});
    expect(other.status).toBe('succeeded');
  });

  it('times out a step that takes too long, and a run', async () => {
    harness.scripts.set('one', { steps: { work: [{ hang: true }] } });
    const slow = await harness.start('slow-step', {});
    await harness.untilEnded(slow);
    expect(await harness.runRecord(slow)).toMatchObject({ status: 'failed', error: { code: 'step_timeout' } });
    const short = await harness.start('short', {});
    const draining = harness.queue.drain(harness.deps);
    await waitFor(async () => {
      await sweep(harness.deps);
      const run = await harness.runRecord(short);
      return run.endedAt === null ? null : run;
    });
    await draining;
    expect(await harness.runRecord(short)).toMatchObject({ status: 'timed_out', error: { code: 'run_timeout' } });
    await expectProjectionsEqualEvents(short);
  });
});

describe('cancelling', () => {
  it('stops a running model call, and the run is cancelled when the step has stopped', async () => {
    harness.scripts.set('one', { steps: { work: [{ hang: true }] } });
    const runId = await harness.start('one', {});
    const draining = harness.queue.drain(harness.deps);
    await waitFor(() => (harness.deps.held.all().length > 0 ? true : null));
    expect(await cancelRun(harness.deps, { projectId: PROJECT, runId, reason: 'test' })).toEqual({
      status: 'cancelling',
    });
    await draining;
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'cancelled' });
    await expectProjectionsEqualEvents(runId);
    expect(await cancelRun(harness.deps, { projectId: PROJECT, runId, reason: null })).toEqual({
      status: 'already_ended',
      runStatus: 'cancelled',
    });
  });

  it('cancels a run that no worker has started in the same transaction, and its job ends quietly', async () => {
    const runId = await harness.start('one', {});
    const [job] = harness.queue.steps.splice(0);
    expect(await cancelRun(harness.deps, { projectId: PROJECT, runId, reason: null })).toEqual({ status: 'cancelled' });
    if (job !== undefined) await runStepJob(harness.deps, job);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'cancelled' });
    expect(await cancelRun(harness.deps, { projectId: PROJECT, runId: 'run_nothing', reason: null })).toEqual({
      status: 'not_found',
    });
    await expectProjectionsEqualEvents(runId);
  });
});

describe('the retry verb', () => {
  it('goes on in place from the failed step, keeps other outputs, and resolves settings anew', async () => {
    const document = (prompt: string): Json => ({
      name: 'mended',
      defaults: { model: 'scripted:mended', retry: { max_attempts: 1 } },
      agents: { helper: { system_prompt: prompt } },
      steps: [
        { id: 'first', transform: 'kept' },
        {
          id: 'work',
          depends_on: ['first'],
          agent: 'helper',
          task: 'Work with ${steps.first.output}.',
          context: { mode: 'fresh' },
        },
        { id: 'after', depends_on: ['work'], transform: '${steps.work.output}!' },
      ],
    });
    await harness.apply(document('Old.'));
    harness.scripts.set('mended', { steps: { work: [{ failure: { class: 'invalid_request', detail: 'no' } }] } });
    const run = await harness.run('mended', {});
    expect(run).toMatchObject({ status: 'failed', error: { step_id: 'work' } });
    await harness.apply(document('New.'));
    harness.scripts.set('mended', {
      steps: { work: [[{ failure: { class: 'invalid_request' } }, { text: 'mended' }]] },
    });
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId: run.runId, version: 'live' })).toMatchObject({
      status: 'retried',
      version: 2,
    });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(run.runId)).toMatchObject({
      status: 'succeeded',
      output: 'mended!',
      pipelineVersion: 2,
    });
    expect(harness.scripts.calls('mended').at(-1)?.request).toMatchObject({
      system: 'New.',
      messages: [{ role: 'user' }],
    });
    await expectProjectionsEqualEvents(run.runId);
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId: run.runId, version: 'pinned' })).toEqual({
      status: 'not_retryable',
      runStatus: 'succeeded',
    });
  });

  it('takes up a cancelled run, and refuses while another run holds the stream', async () => {
    harness.scripts.set('one', { steps: { work: [{ hang: true }] } });
    const first = await harness.start('one', {}, { streamId: 'retry-stream' });
    const draining = harness.queue.drain(harness.deps);
    await waitFor(() => (harness.deps.held.all().length > 0 ? true : null));
    await cancelRun(harness.deps, { projectId: PROJECT, runId: first, reason: null });
    await draining;
    const second = await harness.start('one', {}, { streamId: 'retry-stream' });
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId: first, version: 'pinned' })).toEqual({
      status: 'stream_busy',
      streamId: 'retry-stream',
    });
    harness.scripts.set('one', () => ({ text: 'now' }));
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(second)).toMatchObject({ status: 'succeeded' });
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId: first, version: 'pinned' })).toMatchObject({
      status: 'retried',
    });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(first)).toMatchObject({ status: 'succeeded', output: 'after now' });
    await expectProjectionsEqualEvents(first);
  });
});

describe('a busy stream', () => {
  const busy = (onBusy: string) => ({
    name: `busy-${onBusy}`,
    on_busy: onBusy,
    defaults: { model: 'scripted:busy' },
    agents: { helper: {} },
    steps: [{ id: 'work', agent: 'helper', task: 'Go.', context: { mode: 'fresh' } }],
  });

  it('is refused with reject, interrupted with interrupt, shared with parallel', async () => {
    for (const onBusy of ['reject', 'interrupt', 'parallel']) await harness.apply(busy(onBusy));
    harness.scripts.set('busy', () => ({ text: 'done' }));
    const command = {
      projectId: PROJECT,
      version: null,
      inputs: {},
      tags: [],
      metadata: {},
      priority: 0,
      deadlineAt: null,
      idempotencyKey: null,
    };
    await harness.start('busy-reject', {}, { streamId: 's-reject' });
    expect(await startRun(harness.deps, { ...command, pipeline: 'busy-reject', streamId: 's-reject' })).toEqual({
      status: 'stream_busy',
      streamId: 's-reject',
    });
    const older = await harness.start('busy-interrupt', {}, { streamId: 's-interrupt' });
    const newer = await harness.start('busy-interrupt', {}, { streamId: 's-interrupt' });
    const shared = [
      await harness.start('busy-parallel', {}, { streamId: 's-parallel' }),
      await harness.start('busy-parallel', {}, { streamId: 's-parallel' }),
    ];
    for (const runId of shared) expect(await harness.runRecord(runId)).toMatchObject({ status: 'running' });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(older)).toMatchObject({
      status: 'cancelled',
      cancelReason: `interrupted by ${newer}`,
    });
    expect(await harness.runRecord(newer)).toMatchObject({ status: 'succeeded' });
    for (const runId of shared) expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded' });
  });
});
