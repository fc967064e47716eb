import { answerOf, textOf } from '../testing/model-call.js';
import { useAnthropic } from '../testing/use-anthropic.js';

const use = useAnthropic();
const read = { name: 'read', description: 'Reads.', parameters: { type: 'object' } };
const schema = {
  type: 'object',
  required: ['a'],
  properties: {
    a: { type: 'string', description: 'A.', maxLength: 5 },
    b: { type: 'array', items: { type: 'object' } },
  },
};
const closed = {
  type: 'object',
  required: ['a'],
  additionalProperties: false,
  properties: {
    a: { type: 'string', description: 'A. (maxLength: 5)' },
    b: { type: 'array', items: { type: 'object', additionalProperties: false } },
  },
};
const asked = (outputSchema: { [key: string]: any }) => ({ settings: { outputSchema } });
/** A call of the tool that was added for the answer. */
const call = (args: string, name = 'final_answer') => ({ id: 'toolu_1', name, arguments: args });

describe('structured output where the API takes a schema', () => {
  it('is asked for in its own field, closed, beside reasoning effort, with the prompt and its mark as they are', async () => {
    use.server.reply({ kind: 'answer', text: '{"a":"x"}' });
    const outcome = await use.ask({
      request: { system: 'Be brief.', tools: [read] },
      settings: { outputSchema: schema, reasoning: { effort: 'low' } },
      cacheBreakpoints: [{ after: 'system' }],
    });
    expect(textOf(outcome)).toBe('{"a":"x"}');
    expect(use.body()).toMatchObject({
      output_config: { effort: 'low', format: { type: 'json_schema', schema: closed } },
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'read' }],
      tool_choice: { type: 'auto' },
    });
  });

  it.each([
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }],
    ['references', { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }],
    ['a list', { type: 'array', items: { type: 'string' } }],
  ])('is a tool that is offered, not forced, for a schema that does not fit (%s)', async (_, outputSchema) => {
    use.server.reply({ kind: 'answer', text: '{}' });
    await use.ask(asked(outputSchema));
    expect(use.body()).not.toHaveProperty('output_config');
    expect(use.body()).toMatchObject({ tools: [{ name: 'final_answer' }], tool_choice: { type: 'auto' } });
    // The last answer, without tools: all that is left is to ask for it.
    await use.ask({ request: { tools: [read] }, settings: { outputSchema, toolChoice: 'none' } });
    expect(use.body()).toMatchObject({ tools: [{ name: 'read' }], tool_choice: { type: 'none' } });
    expect(use.body()['system']).toEqual([
      { type: 'text', text: expect.stringContaining(JSON.stringify(outputSchema)) },
    ]);
  });
});

describe('structured output of other models', () => {
  const plain = 'local:plain';

  it('is a tool that must be called, whose arguments are the answer as they were written', async () => {
    use.server.reply({ kind: 'answer', text: 'Here it is:', toolCalls: [call('{"b": [],  "a": "x"}')] });
    const outcome = answerOf(await use.ask(asked(schema), plain));
    expect(use.body()).toMatchObject({
      tools: [{ name: 'final_answer', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'final_answer' },
    });
    expect(outcome).toMatchObject({
      finishReason: 'stop',
      message: { content: [{ type: 'text', text: '{"b": [],  "a": "x"}' }], tool_calls: [] },
      providerPayload: { said_before_answer: 'Here it is:' },
    });
  });

  it('leaves the other tools to be called first', async () => {
    use.server.reply({ kind: 'answer', toolCalls: [call('{}', 'read')] });
    const outcome = answerOf(await use.ask({ request: { tools: [read] }, ...asked(schema) }, plain));
    expect(use.body()).toMatchObject({
      tools: [{ name: 'read' }, { name: 'final_answer' }],
      tool_choice: { type: 'any' },
    });
    expect(outcome).toMatchObject({ finishReason: 'tool_calls', message: { tool_calls: [{ name: 'read' }] } });
  });

  it('keeps calls that came beside the answer: they are made first', async () => {
    use.server.reply({ kind: 'answer', toolCalls: [call('{"a":"x"}'), { ...call('{}', 'read'), id: 'toolu_2' }] });
    expect(answerOf(await use.ask({ request: { tools: [read] }, ...asked(schema) }, plain))).toMatchObject({
      finishReason: 'tool_calls',
      message: { content: [{ type: 'text', text: '{"a":"x"}' }], tool_calls: [{ id: 'toolu_2', name: 'read' }] },
    });
  });

  it('wraps what is no object, and takes another name where the agent has such a tool', async () => {
    const list = { type: 'array', items: { $ref: '#/$defs/s' }, $defs: { s: { type: 'string' } } };
    const own = { ...read, name: 'final_answer' };
    use.server.reply({ kind: 'answer', toolCalls: [call('{"value":["x"]}', 'final_answer_2')] });
    const settings = { outputSchema: list, toolChoice: 'none' as const };
    expect(textOf(await use.ask({ request: { tools: [own] }, settings }, plain))).toBe('["x"]');
    expect(use.body()).toMatchObject({
      tool_choice: { type: 'tool', name: 'final_answer_2' },
      tools: [
        { name: 'final_answer' },
        { input_schema: { properties: { value: { type: 'array' } }, $defs: { s: { type: 'string' } } } },
      ],
    });
  });

  it('is not forced on a model that thinks, and an answer in text is one too', async () => {
    use.server.reply({ kind: 'answer', text: '{"a":"x"}' });
    const settings = { outputSchema: schema, reasoning: { type: 'enabled', budget_tokens: 1_024 } };
    expect(textOf(await use.ask({ settings }, plain))).toBe('{"a":"x"}');
    expect(use.body()).toMatchObject({ tool_choice: { type: 'auto' }, thinking: { type: 'enabled' } });
  });

  it('that was cut by length says so', async () => {
    use.server.reply({ kind: 'answer', toolCalls: [call('{"a":"')], finish: 'max_tokens' });
    expect(answerOf(await use.ask(asked(schema), plain))).toMatchObject({
      finishReason: 'length',
      message: { content: [{ text: '{"a":"' }], tool_calls: [] },
    });
  });
});
