import { explainRun, sendSignal, sweep, wakeDue } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

/** As if everything that is to be due were due now. */
async function makeDue(): Promise<void> {
  await harness.database.run(
    (sql) => sql`update wait set due_at = now() - interval '1 second' where due_at is not null`,
  );
  await wakeDue(harness.deps);
  await harness.queue.drain(harness.deps);
}

describe('sleep', () => {
  beforeAll(() =>
    harness.apply({
      name: 'sleeper',
      inputs: { until: { type: 'string', default: '1h' } },
      steps: [
        { id: 'nap', sleep: '${inputs.until}' },
        { id: 'after', depends_on: ['nap'], transform: 'awake' },
      ],
    }),
  );

  it('waits in Postgres without a worker, tells until when, and goes on when the time has come', async () => {
    const runId = await harness.start('sleeper', {});
    expect(harness.queue.steps).toHaveLength(0);
    const explained = await explainRun(harness.deps, PROJECT, runId);
    expect(explained).toMatchObject({ status: 'waiting', status_reason: 'timer', blocked_on: [{ kind: 'timer' }] });
    await wakeDue(harness.deps);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'waiting' });
    await expectProjectionsEqualEvents(harness, runId);
    await makeDue();
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'awake' });
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('sleeps until a time, not at all when it is past, and fails on what is neither', async () => {
    const past = await harness.start('sleeper', { until: '2020-01-31T09:00:00Z' });
    await harness.untilEnded(past);
    expect(await harness.runRecord(past)).toMatchObject({ status: 'succeeded' });
    const wrong = await harness.run('sleeper', { until: 'soon' });
    expect(wrong).toMatchObject({ status: 'failed', error: { code: 'expression_failed', step_id: 'nap' } });
    await expectProjectionsEqualEvents(harness, wrong.runId);
  });

  it('wakes forty timers that are due together', async () => {
    const runs: string[] = [];
    for (let n = 0; n < 40; n += 1) runs.push(await harness.start('sleeper', {}));
    await makeDue();
    for (const runId of runs) expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded' });
  });
});

describe('wait_for', () => {
  beforeAll(() =>
    harness.apply({
      name: 'paid',
      inputs: { order: { type: 'string', required: true } },
      steps: [{ id: 'payment', wait_for: { signal: 'payment', key: '${inputs.order}', timeout: '1h' } }],
    }),
  );
  const send = (key: string, payload: string) =>
    sendSignal(harness.deps, { projectId: PROJECT, name: 'payment', key, payload });

  it('goes on with the payload of its signal, by key', async () => {
    const run = await harness.run('paid', { order: 'o1' });
    expect(await explainRun(harness.deps, PROJECT, run.runId)).toMatchObject({
      status_reason: 'signal',
      blocked_on: [{ kind: 'signal', id: 'payment/o1' }],
    });
    expect(await send('other', 'x')).toMatchObject({ deliveredTo: null });
    expect(await send('o1', 'paid')).toMatchObject({ deliveredTo: run.runId });
    expect(await harness.runRecord(run.runId)).toMatchObject({ status: 'succeeded', output: 'paid' });
    await expectProjectionsEqualEvents(harness, run.runId);
  });

  it('finds a signal that came first, each signal once', async () => {
    await send('o2', 'first');
    const one = await harness.run('paid', { order: 'o2' });
    expect(one).toMatchObject({ status: 'succeeded', output: 'first' });
    await expectProjectionsEqualEvents(harness, one.runId);
    expect((await harness.run('paid', { order: 'o2' })).status).toBe('waiting');
  });

  it('takes any key: long, empty, with signs of all kinds', async () => {
    for (const order of ['', '*', '🙂/{}', 'k'.repeat(10_000), 'a\u0000b']) {
      const run = await harness.run('paid', { order });
      await send(order, 'ok');
      expect((await harness.runRecord(run.runId)).status).toBe('succeeded');
    }
  });

  it('times out, and the run with it', async () => {
    const run = await harness.run('paid', { order: 'never' });
    await makeDue();
    expect(await harness.runRecord(run.runId)).toMatchObject({ status: 'failed', error: { code: 'signal_timeout' } });
    await expectProjectionsEqualEvents(harness, run.runId);
  });

  it('loses no signal that is sent while the step begins to wait', async () => {
    for (let n = 0; n < 20; n += 1) {
      const order = `race-${n}`;
      const [runId] = await Promise.all([harness.start('paid', { order }), send(order, 'now')]);
      expect((await harness.runRecord(runId)).status).toBe('succeeded');
    }
  });

  it('is woken by the sweeper when the sender died between keeping the signal and waking', async () => {
    const run = await harness.run('paid', { order: 'dead' });
    const deps = { ...harness.deps, runs: { ...harness.deps.runs, getStepRun: () => Promise.resolve(null) } };
    await sendSignal(deps, { projectId: PROJECT, name: 'payment', key: 'dead', payload: 'kept' });
    expect((await harness.runRecord(run.runId)).status).toBe('waiting');
    await sweep(harness.deps);
    expect(await harness.runRecord(run.runId)).toMatchObject({ status: 'succeeded', output: 'kept' });
  });
});
