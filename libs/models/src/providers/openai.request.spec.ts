import { createHash } from 'node:crypto';
import type { NeutralMessage } from '#libs/context';
import type { modelCall } from '../testing/model-call.js';
import { TEST_KEY } from '../testing/connection.js';
import { answerOf, textOf, user } from '../testing/model-call.js';
import { useOpenAi } from '../testing/use-openai.js';

type Given = Parameters<typeof modelCall>[1];
const use = useOpenAi();

const conversation: NeutralMessage[] = [
  user('What is on the page?'),
  {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'hm', signature: 's' },
      { type: 'text', text: 'Looking.' },
    ],
    tool_calls: [
      { id: 'c1', name: 'read', arguments: '{"b": 1,  "a": 2.0}' },
      { id: 'c2', name: 'read', arguments: '{}' },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', name: 'read', status: 'ok', content: [{ type: 'text', text: 'page one' }] },
  {
    role: 'tool',
    tool_call_id: 'c2',
    name: 'read',
    status: 'denied',
    content: [{ type: 'text', text: 'not allowed' }],
  },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'And this?' },
      { type: 'image', media_type: 'image/png', data: 'AAAA' },
    ],
  },
];

describe('a request', () => {
  it('goes out as written: system first, argument strings untouched, status of results in their text', async () => {
    const tools = [
      { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
    ];
    const outcome = answerOf(
      await use.ask({
        request: { system: 'Be brief.', messages: conversation, tools },
        settings: {
          temperature: 0.2,
          maxOutputTokens: 99,
          stop: ['END'],
          extra: { seed: 7, model: 'evil', messages: [] },
        },
      }),
    );
    expect(use.body()).toMatchObject({
      model: 'm',
      temperature: 0.2,
      max_tokens: 99,
      stop: ['END'],
      seed: 7,
      tool_choice: 'auto',
    });
    expect(use.body()).not.toHaveProperty('prompt_cache_key');
    expect(use.body()['tools']).toEqual([{ type: 'function', function: tools[0] }]);
    expect(use.body()['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is on the page?' },
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"b": 1,  "a": 2.0}' } },
          { id: 'c2', type: 'function', function: { name: 'read', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'page one' },
      { role: 'tool', tool_call_id: 'c2', content: '[denied] not allowed' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
    expect(use.server.lastRequest().headers).toMatchObject({
      authorization: `Bearer ${TEST_KEY}`,
      'x-team': 'blue',
    });
    expect(outcome.wireHash).toBe(createHash('sha256').update(use.server.lastRequest().text).digest('hex'));
  });

  it('is the same bytes each time, also when its messages were converted before', async () => {
    const given: Given = { request: { messages: conversation } };
    const [first, second] = [answerOf(await use.ask(given)), answerOf(await use.ask(given))];
    expect(second.wireHash).toBe(first.wireHash);
  });

  it('carries tool_choice none and reasoning effort', async () => {
    await use.ask({
      request: { tools: [{ name: 'read', description: '', parameters: {} }] },
      settings: { toolChoice: 'none', reasoning: { effort: 'low' } },
    });
    expect(use.body()).toMatchObject({ tool_choice: 'none', reasoning_effort: 'low' });
  });

  it('asks for structured output, strictly where the schema allows it', async () => {
    const closed = {
      type: 'object',
      required: ['a'],
      additionalProperties: false,
      properties: { a: { type: 'string' } },
    };
    use.server.reply({ kind: 'answer', text: '{"a":"x"}' }, { kind: 'answer', text: '{"a":"x"}' });
    expect(textOf(await use.ask({ settings: { outputSchema: closed } }))).toBe('{"a":"x"}');
    expect(use.body()['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema: closed, strict: true },
    });
    await use.ask({ settings: { outputSchema: { ...closed, additionalProperties: true } } });
    expect(use.body()['response_format']).toMatchObject({ json_schema: { strict: false } });
  });

  it('carries no key when there is none', async () => {
    await use.ask({}, 'keyless:m');
    expect(use.server.lastRequest().headers).not.toHaveProperty('authorization');
  });
});
