import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'turning',
    defaults: { model: 'scripted:turning', retry: { max_attempts: 1 } },
    agents: { a: { tools: ['memory_write'] } },
    tools: { memory_write: { kind: 'builtin' } },
    steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
  });
});
afterAll(() => harness.close());

it('tells the model at the fifth equal call with an equal result, and ends the step at the tenth', async () => {
  harness.scripts.set('turning', () => ({
    tool_calls: [{ name: 'memory_write', arguments: { key: 'k', value: 'always' } }],
  }));
  const run = await harness.run('turning', {});
  expect(run).toMatchObject({ status: 'failed', error: { code: 'loop_detected', step_id: 'work' } });
  const results = (await harness.events(`${run.streamId}:step:work`)).flatMap((event) =>
    event.type === 'ToolCallCompleted' ? [JSON.stringify(event.data.content)] : [],
  );
  expect(results).toHaveLength(10);
  const isTold = results.map((content) => content !== results[0]);
  expect(isTold.indexOf(true)).toBe(4);
  expect(harness.scripts.calls('turning')).toHaveLength(10);
});
