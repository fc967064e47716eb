import { describeRun } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

describe('a run of steps without a model', () => {
  it('goes from start to output through its transforms', async () => {
    await harness.apply({
      name: 'sums',
      inputs: { n: { type: 'integer', required: true } },
      steps: [
        { id: 'double', transform: '${inputs.n * 2}' },
        { id: 'small', depends_on: ['double'], when: 'steps.double.output < 10', transform: 'small' },
        { id: 'large', depends_on: ['double'], when: 'steps.double.output >= 10', transform: 'large' },
        {
          id: 'verdict',
          depends_on: ['small', 'large'],
          join: 'any',
          transform: { size: '${steps.small.output}', doubled: '${steps.double.output}' },
        },
      ],
      output: '${steps.verdict.output}',
    });
    const run = await harness.run('sums', { n: 4 });
    expect(run.error).toBeNull();
    expect(run).toMatchObject({ status: 'succeeded', output: { size: 'small', doubled: 8 } });
    const described = await describeRun(harness.deps, PROJECT, run.runId);
    expect(described?.steps.map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
      'double succeeded',
      'small succeeded',
      'large skipped',
      'verdict succeeded',
    ]);
  });
});

describe('an agent step with a scripted model', () => {
  beforeAll(() =>
    harness.apply({
      name: 'assistant',
      inputs: { question: { type: 'string', required: true } },
      defaults: { model: 'scripted:assistant' },
      agents: { helper: { system_prompt: 'Help.', tools: ['now', 'memory_write', 'memory_read'] } },
      steps: [{ id: 'work', agent: 'helper', task: '${inputs.question}' }],
    }),
  );

  it('calls tools in parallel, shows their results in call order and ends with the answer', async () => {
    harness.scripts.set('assistant', {
      steps: {
        work: [
          {
            tool_calls: [
              { name: 'memory_write', arguments: { key: 'colour', value: 'green' } },
              { name: 'now' },
              { name: 'nothing_like_it' },
              { name: 'now', arguments: '{"broken' },
            ],
          },
          { text: 'done after {{messages}} messages' },
        ],
      },
    });
    const run = await harness.run('assistant', { question: 'What time is it?' }, { streamId: 'chat-1' });
    expect(run.error).toBeNull();
    expect(run).toMatchObject({ status: 'succeeded', output: 'done after 6 messages' });
    const events = await harness.events('chat-1:step:work');
    expect(
      events
        .flatMap((event) => (event.type === 'ToolCallCompleted' ? [`${event.data.ordinal} ${event.data.status}`] : []))
        .sort(),
    ).toEqual(['0 ok', '1 ok', '2 error', '3 error']);
    expect(events.flatMap((event) => (event.entry === null ? [] : [event.entry]))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  });

  it('sees the stream it is on: earlier turns in order, its task last, memory of the run before', async () => {
    harness.scripts.set('assistant', { steps: { work: [{ text: 'again' }] } });
    await harness.run('assistant', { question: 'And now?' }, { streamId: 'chat-1' });
    const [call] = harness.scripts.calls('assistant').slice(-1);
    const texts = call?.request.messages.map((message) => `${message.role}: ${JSON.stringify(message.content)}`) ?? [];
    expect(texts[0]).toContain('What time is it?');
    expect(texts.at(-1)).toContain('And now?');
    expect(texts.join('\n')).toContain('green');
  });

  it('fails the run with the knob to turn when an answer is cut', async () => {
    harness.scripts.set('assistant', { steps: { work: [{ text: 'half', finish_reason: 'length' }] } });
    const run = await harness.run('assistant', { question: 'Long?' });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'answer_cut_by_length', step_id: 'work' } });
    expect(run.error?.detail).toContain('agents.helper.max_output_tokens');
  });
});
