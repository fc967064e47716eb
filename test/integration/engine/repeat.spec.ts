import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

describe('repeat', () => {
  beforeAll(() =>
    harness.apply({
      name: 'count-up',
      inputs: { limit: { type: 'integer', default: 3 } },
      steps: [
        {
          id: 'loop',
          repeat: true,
          max_iterations: 5,
          until: 'last.add >= inputs.limit',
          do: { steps: [{ id: 'add', transform: '${last == null ? 1 : last.add + 1}' }] },
        },
        { id: 'after', depends_on: ['loop'], transform: 'got ${steps.loop.output}' },
      ],
    }),
  );

  it('goes round until its condition holds, each round seeing the last', async () => {
    const run = await harness.run('count-up', {});
    expect(run.error).toBeNull();
    expect(run).toMatchObject({ status: 'succeeded', output: 'got 3' });
    const steps = await harness.deps.runs.stepRunsOf(PROJECT, run.runId);
    expect(steps.filter(({ stepId }) => stepId === 'add').map(({ round }) => round)).toEqual([0, 1, 2]);
    await expectProjectionsEqualEvents(harness, run.runId);
  });

  it('ends at its bound with what the last round gave', async () => {
    expect(await harness.run('count-up', { limit: 100 })).toMatchObject({ status: 'succeeded', output: 'got 5' });
  });

  it('stands inside a for_each, and a for_each inside it', async () => {
    await harness.apply({
      name: 'nested',
      steps: [
        {
          id: 'each',
          for_each: [2, 3],
          do: {
            steps: [
              {
                id: 'grow',
                repeat: true,
                max_iterations: 9,
                until: 'last.twice >= 10',
                do: { steps: [{ id: 'twice', transform: '${(last == null ? item : last.twice) * 2}' }] },
              },
            ],
          },
        },
        {
          id: 'rounds',
          depends_on: ['each'],
          repeat: true,
          max_iterations: 2,
          until: 'false',
          do: {
            steps: [
              {
                id: 'inner',
                for_each: '${steps.each.output}',
                do: { steps: [{ id: 'plus', transform: '${item + (last == null ? 0 : 1)}' }] },
              },
            ],
          },
        },
      ],
      output: '${[steps.each.output, steps.rounds.output]}',
    });
    const run = await harness.run('nested', {});
    expect(run.error).toBeNull();
    expect(run.output).toEqual([
      [16, 12],
      [17, 13],
    ]);
    await expectProjectionsEqualEvents(harness, run.runId);
  });

  it('keeps one conversation over its rounds', async () => {
    harness.scripts.set('rounds', { steps: { work: [{ text: 'one' }, { text: 'two' }] } });
    await harness.apply({
      name: 'talk',
      defaults: { model: 'scripted:rounds' },
      agents: { a: {} },
      steps: [
        {
          id: 'loop',
          repeat: true,
          max_iterations: 2,
          until: 'false',
          do: { steps: [{ id: 'work', agent: 'a', task: 'Go on.' }] },
        },
      ],
    });
    const run = await harness.run('talk', {});
    expect(run.error).toBeNull();
    const [, second] = harness.scripts.calls('rounds');
    expect(second?.request.messages).toHaveLength(3);
    await expectProjectionsEqualEvents(harness, run.runId);
  });
});
