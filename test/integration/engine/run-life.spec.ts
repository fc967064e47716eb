import { cancelRun, explainRun, relay, runStepJob, startRun, sweep } from '../../../libs/engine/src/index.js';
import { waitFor } from '../../support/wait-for.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';
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
    await expectProjectionsEqualEvents(harness, runId);
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
      allowed_actions: ['cancel', 'pause'],
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
    await expectProjectionsEqualEvents(harness, runId);
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
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('makes a dead letter of a step whose workers die three times without progress, and leaves others alone', async () => {
    harness.scripts.set('one', { steps: { work: [{ text: 'ok' }] } });
    const runId = await harness.start('one', {});
    for (let death = 1; death <= 3; death += 1) {
      const [job] = harness.queue.steps.splice(0);
      if (job === undefined) throw new Error(`no job before death ${death}`);
      // It gets as far as each one before it: the call of the model takes the process down.
      const worker = harness.secondWorker();
      const asked = new Promise<void>((resolve) => {
        const call = (): Promise<never> => {
          resolve();
          return new Promise(() => undefined);
        };
        void runStepJob(
          { ...worker, settings: { ...worker.settings, workerId: `w${death}` }, models: { ...worker.models, call } },
          job,
        );
      });
      await asked;
      await harness.database.run(
        (sql) =>
          sql`update step_run set lease_until = now() - interval '1 second' where step_run_id = ${job.stepRunId}`,
      );
      await sweep(harness.deps);
      await relay(harness.deps);
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
    await expectProjectionsEqualEvents(harness, short);
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
    await expectProjectionsEqualEvents(harness, runId);
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
    await expectProjectionsEqualEvents(harness, runId);
  });
});
