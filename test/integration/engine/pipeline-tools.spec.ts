import { cancelRun, sweep } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

/** Tools of kind `pipeline`: an agent's call starts a run, and its output is the call's result. */
let harness: EngineHarness;

beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'lookup',
    inputs: { word: { type: 'string', required: true } },
    agents: { writer: { system_prompt: 'You look up.', model: 'scripted:inner' } },
    steps: [{ id: 'write', agent: 'writer', task: '${inputs.word}' }],
    output: '${steps.write.output}',
  });
  await harness.apply({
    name: 'desk',
    inputs: { message: { type: 'string', required: true } },
    defaults: { model: 'scripted:outer' },
    agents: { chat: { system_prompt: 'You answer.', tools: ['look_up'] } },
    tools: {
      look_up: {
        kind: 'pipeline',
        pipeline: 'lookup',
        description: 'Looks a word up.',
        parameters: { type: 'object', properties: { word: { type: 'string' } } },
      },
    },
    steps: [{ id: 'answer', agent: 'chat', task: '${inputs.message}' }],
    output: '${steps.answer.output}',
  });
});
afterAll(() => harness.close());

const usage = { input_tokens: 10, cached_tokens: 0, output_tokens: 5 };
const calls = (...given: object[]) =>
  given.map((one, at) => ({ id: `c${at}`, name: 'look_up', arguments: JSON.stringify(one) }));

function script(...given: object[]): void {
  harness.scripts.set('outer', [
    { text: '', tool_calls: calls(...given), usage },
    { text: 'Done.', usage },
  ] as never);
  harness.scripts.set('inner', { replies: [{ text: 'a meaning', usage }], after_last: 'repeat' } as never);
}

async function resultsOf(runId: string) {
  const run = await harness.runRecord(runId);
  const events = await harness.events(`${run.streamId}:step:answer`);
  return events.flatMap((event) =>
    event.type === 'ToolCallCompleted' ? [[event.data.ordinal, event.data.status, event.data.content]] : [],
  );
}

const childrenOf = (runId: string) =>
  harness.database.run(
    (sql) => sql<{ run_id: string; status: string }[]>`
      select run_id, status from run where ancestors @> array[${runId}] order by run_id`,
  );

it('runs one run a call, side by side, and counts what they spend', async () => {
  script({ word: 'weir' }, { word: 'dam' });
  const runId = await harness.start('desk', { message: 'Two words.' });
  const run = await harness.untilEnded(runId);
  expect(run).toMatchObject({ status: 'succeeded', output: 'Done.', error: null });
  const finals = (await resultsOf(runId)).filter(([, status]) => status !== 'pending');
  expect(finals.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
    [0, 'ok', 'a meaning'],
    [1, 'ok', 'a meaning'],
  ]);
  expect((await childrenOf(runId)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(await harness.deps.runs.usageOfRun(PROJECT, runId)).toMatchObject({ modelCalls: 4, inputTokens: 40 });
  await expectProjectionsEqualEvents(harness, runId);
});

it('gives arguments that the pipeline does not take, and runs that fail, back to the model', async () => {
  script({ wrong: 1 });
  const refused = await harness.start('desk', { message: 'x' });
  expect((await harness.untilEnded(refused)).status).toBe('succeeded');
  expect(await resultsOf(refused)).toEqual([[0, 'error', expect.stringContaining('word')]]);
  script({ word: 'x' });
  harness.scripts.set('inner', [{ failure: { class: 'invalid_request', detail: 'no' } }] as never);
  const failed = await harness.start('desk', { message: 'x' });
  expect((await harness.untilEnded(failed)).status).toBe('succeeded');
  expect((await resultsOf(failed)).at(-1)).toEqual([0, 'error', expect.stringContaining('failed')]);
});

it('goes on also when the end of the run was not told', async () => {
  script({ word: 'weir' });
  const runId = await harness.start('desk', { message: 'x' });
  const { deps } = harness;
  // As a crash between the child's commit and the word to its parent leaves it.
  const publishProgress = (of: string) =>
    of === runId ? deps.wakeups.publishProgress(of) : Promise.reject(new Error('the process died'));
  await harness.queue.drain({ ...deps, wakeups: { ...deps.wakeups, publishProgress } });
  expect((await childrenOf(runId)).map(({ status }) => status)).toEqual(['succeeded']);
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'waiting' });
  await sweep(deps);
  expect((await harness.untilEnded(runId)).status).toBe('succeeded');
});

it('cancels the runs of its calls with it', async () => {
  await harness.apply({
    name: 'lookup',
    inputs: { word: { type: 'string', required: true } },
    steps: [{ id: 'wait', wait_for: { signal: 'never', key: 'k' } }],
  });
  script({ word: 'weir' });
  const runId = await harness.start('desk', { message: 'x' });
  await harness.queue.drain(harness.deps);
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'waiting' });
  await cancelRun(harness.deps, { projectId: PROJECT, runId, reason: null });
  expect((await harness.untilEnded(runId)).status).toBe('cancelled');
  expect((await childrenOf(runId)).map(({ status }) => status)).toEqual(['cancelled']);
});
