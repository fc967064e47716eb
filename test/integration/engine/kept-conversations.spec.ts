import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  harness.scripts.set('helper', { replies: [{ text: 'Done.' }], after_last: 'repeat' } as never);
  const agents = { helper: { model: 'scripted:helper' } };
  const work = { id: 'work', agent: 'helper', task: 'Go.' };
  await harness.apply({ name: 'once', agents, steps: [work] });
  await harness.apply({
    name: 'often',
    agents,
    steps: [{ id: 'loop', repeat: true, max_iterations: 2, until: 'false', do: { steps: [work] } }],
  });
});
afterAll(() => harness.close());

/** How many conversations the process keeps after a run, beyond those that it kept before. */
async function keptAfter(pipeline: string, streamId?: string): Promise<number> {
  const { conversations } = harness.deps;
  const before = conversations.size.conversations;
  await harness.run(pipeline, {}, streamId === undefined ? {} : { streamId });
  return conversations.size.conversations - before;
}

describe('the conversation of a step that has ended', () => {
  it('is let go where it stood on its run’s own stream: nobody comes back to it', async () => {
    expect(await keptAfter('once')).toBe(0);
  });

  it('is kept on a stream that has a name, for the next run there', async () => {
    expect(await keptAfter('once', 'talk')).toBe(1);
    expect(await keptAfter('once', 'talk')).toBe(0);
  });

  it('is kept where a loop repeats the step', async () => {
    expect(await keptAfter('often')).toBe(1);
  });
});
