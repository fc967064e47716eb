import type { Json } from '../../../libs/domain/src/index.js';
import { cancelRun, explainRun, retryRun, runStepJob, type RunTransaction } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('for_each', () => {
  const squares = (name: string, settings: { [key: string]: Json }): Json => ({
    name,
    inputs: { list: { type: 'array', required: true } },
    steps: [
      {
        id: 'each',
        for_each: '${inputs.list}',
        ...settings,
        do: {
          steps: [
            { id: 'check', transform: '${10 / item}' },
            { id: 'square', depends_on: ['check'], transform: { n: '${item * item}', at: '${item_index}' } },
          ],
        },
      },
      { id: 'after', depends_on: ['each'], transform: '${steps.each.output}' },
    ],
  });
  beforeAll(async () => {
    await harness.apply(squares('squares', { max_parallel: 3 }));
    await harness.apply(squares('squares-continue', { on_item_failure: 'continue' }));
    await harness.apply(squares('squares-collect', { on_item_failure: 'collect' }));
  });

  it('runs its body once per element and gives the outputs in their order', async () => {
    const run = await harness.run('squares', { list: [3, 1, 2] });
    expect(run).toMatchObject({
      status: 'succeeded',
      output: [
        { n: 9, at: 0 },
        { n: 1, at: 1 },
        { n: 4, at: 2 },
      ],
    });
    await expectProjectionsEqualEvents(harness, run.runId);
  });

  it('takes an empty list, and says what is wrong with a value that is none', async () => {
    expect(await harness.run('squares', { list: [] })).toMatchObject({ status: 'succeeded', output: [] });
    await harness.apply({
      name: 'not-a-list',
      steps: [{ id: 'each', for_each: '${run.id}', do: { steps: [{ id: 'x', transform: '${item}' }] } }],
    });
    const wrong = await harness.run('not-a-list', {});
    expect(wrong).toMatchObject({ status: 'failed', error: { code: 'expression_failed', step_id: 'each' } });
    await expectProjectionsEqualEvents(harness, wrong.runId);
  });

  it('has at most max_parallel items under way', async () => {
    const runId = await harness.start('squares', { list: numbers(8).map((n) => n + 1) });
    let most = 0;
    while (harness.queue.steps.length > 0) {
      most = Math.max(most, harness.queue.steps.length);
      const [job] = harness.queue.steps.splice(0, 1);
      if (job !== undefined) await runStepJob(harness.deps, job);
    }
    expect(most).toBe(3);
    expect((await harness.runRecord(runId)).status).toBe('succeeded');
  });

  it('of a hundred items of which three fail: fails, goes on, or collects, as it says', async () => {
    const list = numbers(100).map((n) => (n % 40 === 20 ? 0 : n + 1));
    const failing = list.flatMap((n, index) => (n === 0 ? [index] : []));
    const failed = await harness.run('squares', { list });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'expression_failed', step_id: 'each' } });
    expect(failed.error?.detail).toContain(`item ${failing[0]}`);
    await expectProjectionsEqualEvents(harness, failed.runId);

    const continued = await harness.run('squares-continue', { list });
    expect(continued.status).toBe('succeeded');
    expect(
      Array.isArray(continued.output) ? continued.output.flatMap((one, n) => (one === null ? [n] : [])) : null,
    ).toEqual(failing);
    const collected = await harness.run('squares-collect', { list: [1, 0] });
    expect(collected.output).toMatchObject([
      { status: 'succeeded', output: { n: 1 }, error: null },
      { status: 'failed', output: null, error: { code: 'expression_failed', step_id: 'check' } },
    ]);
    await expectProjectionsEqualEvents(harness, collected.runId);
  }, 120_000);

  it('does not read more for each item, the more items there are', async () => {
    let rowsRead = 0;
    const { runs } = harness.deps;
    const countingIn = (tx: RunTransaction): RunTransaction => ({
      ...tx,
      stepRuns: (...args) => tx.stepRuns(...args).then((rows) => ((rowsRead += rows.length), rows)),
      stepRunsAt: (...args) => tx.stepRunsAt(...args).then((rows) => ((rowsRead += rows.length), rows)),
      items: (...args) => tx.items(...args).then((rows) => ((rowsRead += rows.length), rows)),
    });
    const counting: typeof runs = {
      ...runs,
      transact: (work) => runs.transact((tx) => work(countingIn(tx))),
      transactRun: (about, work) => runs.transactRun(about, (tx) => work(countingIn(tx))),
    };
    const deps = { ...harness.deps, runs: counting };
    const readFor = async (count: number): Promise<number> => {
      rowsRead = 0;
      const runId = await harness.start('squares', { list: numbers(count).map((n) => n + 1) });
      await harness.queue.drain(deps);
      expect((await harness.runRecord(runId)).status).toBe('succeeded');
      return rowsRead / count;
    };
    const [few, many] = [await readFor(10), await readFor(200)];
    expect(many).toBeLessThan(few * 1.5);
  }, 120_000);

  it('gives each item a conversation of its own, which sees no other', async () => {
    harness.scripts.set('each', { steps: { judge: [{ text: 'seen {{messages}}' }] } });
    await harness.apply({
      name: 'judges',
      defaults: { model: 'scripted:each' },
      agents: { judge: { system_prompt: 'Judge.' } },
      steps: [
        {
          id: 'each',
          for_each: ['a', 'b'],
          do: { steps: [{ id: 'judge', agent: 'judge', task: 'Judge ${item}.' }] },
        },
      ],
    });
    const first = await harness.run('judges', {}, { streamId: 'jury' });
    expect(first.error).toBeNull();
    const second = await harness.run('judges', {}, { streamId: 'jury' });
    expect(second.output).toEqual(first.output);
    expect((await harness.events('jury:step:judge:item:1')).length).toBeGreaterThan(3);
    await expectProjectionsEqualEvents(harness, second.runId);
  });

  it('aborts the siblings of an item that fails', async () => {
    harness.scripts.set('siblings', ({ position }) =>
      position.item === 0 ? { failure: { class: 'invalid_request' } } : { hang: true },
    );
    await harness.apply({
      name: 'siblings',
      defaults: { model: 'scripted:siblings' },
      agents: { a: {} },
      steps: [
        {
          id: 'each',
          for_each: [0, 1, 2],
          do: { steps: [{ id: 'work', agent: 'a', task: 'Go ${item}.' }] },
        },
      ],
    });
    const run = await harness.run('siblings', {});
    expect(run).toMatchObject({ status: 'failed', error: { code: 'invalid_request', step_id: 'each' } });
    const steps = await harness.deps.runs.stepRunsOf(PROJECT, run.runId);
    expect(
      steps
        .filter(({ stepId }) => stepId === 'work')
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['cancelled', 'cancelled', 'failed']);
    await expectProjectionsEqualEvents(harness, run.runId);
  });

  it('is cancelled with its run, items and all', async () => {
    const runId = await harness.start('squares', { list: numbers(5).map((n) => n + 1) });
    expect(await explainRun(harness.deps, PROJECT, runId)).toMatchObject({ status: 'running' });
    await cancelRun(harness.deps, { projectId: PROJECT, runId, reason: null });
    await harness.queue.drain(harness.deps);
    expect((await harness.runRecord(runId)).status).toBe('cancelled');
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('goes on from the items that failed, after a retry', async () => {
    let broken = true;
    harness.scripts.set('mending', ({ position }) =>
      position.item === 1 && broken ? { failure: { class: 'invalid_request' } } : { text: `item ${position.item}` },
    );
    await harness.apply({
      name: 'mending',
      defaults: { model: 'scripted:mending' },
      agents: { a: {} },
      steps: [
        {
          id: 'each',
          for_each: [0, 1, 2, 3],
          max_parallel: 1,
          do: {
            steps: [
              { id: 'work', agent: 'a', task: 'Go ${item}.' },
              { id: 'shout', depends_on: ['work'], transform: '${steps.work.output}!' },
            ],
          },
        },
        { id: 'count', depends_on: ['each'], transform: '${size(steps.each.output)}' },
      ],
      output: '${steps.each.output}',
    });
    const run = await harness.run('mending', {});
    expect(run.status).toBe('failed');
    broken = false;
    const before = harness.scripts.calls('mending').filter(({ position }) => position.item === 0).length;
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId: run.runId, version: 'pinned' })).toMatchObject({
      status: 'retried',
    });
    await harness.queue.drain(harness.deps);
    const ended = await harness.runRecord(run.runId);
    expect(ended).toMatchObject({
      status: 'succeeded',
      output: ['item 0!', 'item 1!', 'item 2!', 'item 3!'],
    });
    expect(harness.scripts.calls('mending').filter(({ position }) => position.item === 0)).toHaveLength(before);
    await expectProjectionsEqualEvents(harness, run.runId);
  });

  it('joins when the last two items end in the same moment', async () => {
    for (let round = 0; round < 15; round += 1) {
      const run = await harness.run('squares', { list: [1, 2] });
      expect(run.status).toBe('succeeded');
    }
  });

  it('waits for people in its items, without a worker and without its stream', async () => {
    await harness.apply({
      name: 'votes',
      steps: [{ id: 'each', for_each: ['a', 'b'], do: { steps: [{ id: 'ask', approval: { prompt: '${item}?' } }] } }],
    });
    const run = await harness.run('votes', {});
    expect(run.status).toBe('waiting');
    expect(await harness.deps.runs.streamHolder(PROJECT, run.streamId)).toBeNull();
    expect(await explainRun(harness.deps, PROJECT, run.runId)).toMatchObject({
      blocked_on: [{ kind: 'approval' }, { kind: 'approval' }],
    });
    await expectProjectionsEqualEvents(harness, run.runId);
  });
});
