import { newEvent, type AppendUnit, type EngineDeps } from '../../../libs/engine/src/index.js';
import type { NewEvent } from '../../../libs/domain/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  const agent = { model: 'scripted:helper', tools: ['now'] };
  await harness.apply({
    name: 'loop',
    agents: { helper: agent },
    steps: [{ id: 'work', agent: 'helper', task: 'Go.' }],
  });
  await harness.apply({
    name: 'short',
    agents: { helper: { ...agent, max_turns: 1, on_max_turns: 'fail' } },
    steps: [{ id: 'work', agent: 'helper', task: 'Go.' }],
  });
});
afterAll(() => harness.close());

const TURNS = 3;
beforeEach(() =>
  harness.scripts.set('helper', ({ position }) =>
    position.callNo <= TURNS ? { text: 'so', tool_calls: [{ name: 'now' }] } : { text: 'done' },
  ),
);

/** Runs a pipeline; `before` sees each append of the step's conversation before it is made. */
async function played(pipeline: string, before: (unit: AppendUnit) => Promise<void> = async () => undefined) {
  const appends: string[][] = [];
  const append: EngineDeps['log']['append'] = async (units) => {
    for (const unit of units) {
      await before(unit);
      appends.push(unit.events.map(({ type }) => type));
    }
    return harness.deps.log.append(units);
  };
  const runId = await harness.start(pipeline, {});
  await harness.queue.drain({ ...harness.deps, log: { ...harness.deps.log, append } });
  const stored = await harness.deps.log.read({ projectId: PROJECT, streamId: `${runId}:step:work` });
  return { appends, stored, types: stored.map(({ type }) => type), run: await harness.runRecord(runId) };
}

it('what may be called again is written with the call that is told of it: two appends a turn', async () => {
  const { appends, run } = await played('loop');
  expect(run).toMatchObject({ status: 'succeeded' });
  expect(appends).toEqual([
    ['LlmCallStarted'],
    ...Array.from({ length: TURNS }, () => [
      ['LlmCallCompleted', 'ToolCallRequested'],
      ['ToolCallStarted', 'ToolCallCompleted', 'LlmCallStarted'],
    ]).flat(),
    ['LlmCallCompleted'],
  ]);
});

it('a message that comes in between stands where it came, and the next call knows of it', async () => {
  let hasCome = false;
  const { types, stored, run } = await played('loop', async ({ projectId, streamId, events }) => {
    if (hasCome || !events.some(({ type }) => type === 'ToolCallCompleted')) return;
    hasCome = true;
    await harness.deps.log.append([{ projectId, streamId, events: [message(streamId)] }]);
  });
  expect(run).toMatchObject({ status: 'succeeded' });
  expect(types.slice(3, 8)).toEqual([
    'ToolCallRequested',
    'UserMessageReceived',
    'ToolCallStarted',
    'ToolCallCompleted',
    'LlmCallStarted',
  ]);
  expect(types.filter((type) => type === 'ToolCallCompleted')).toHaveLength(TURNS);
  const second = stored[7];
  expect(second?.type === 'LlmCallStarted' && second.data.upto_seq).toBe(7);
});

it('a step that ends instead of calling leaves its result behind', async () => {
  const { types, run } = await played('short');
  expect(run).toMatchObject({ status: 'failed' });
  expect(types.slice(-3)).toEqual(['ToolCallStarted', 'ToolCallCompleted', 'ConversationInterrupted']);
});

const message = (streamId: string): NewEvent =>
  newEvent(
    (value) => value,
    { runId: null, stepId: null, item: null, round: 0, streamId },
    'UserMessageReceived',
    [1],
    {
      origin: 'user',
      content: 'Wait.',
    },
  );
