import { createHash } from 'node:crypto';
import type { NeutralMessage, ToolDeclaration } from '#libs/context';
import type { modelCall } from '../testing/model-call.js';
import { TEST_KEY } from '../testing/connection.js';
import { answerOf, user } from '../testing/model-call.js';
import { useAnthropic } from '../testing/use-anthropic.js';

type Given = Parameters<typeof modelCall>[1];
const use = useAnthropic();

const tools: ToolDeclaration[] = [
  { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
  {
    name: 'either',
    description: 'Either.',
    parameters: { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
  },
];
const conversation: NeutralMessage[] = [
  user('What is on the page?'),
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'Looking.' }],
    tool_calls: [
      { id: 'c1', name: 'read', arguments: '{"a": 1}' },
      { id: 'c2', name: 'read', arguments: '{}' },
    ],
  },
  {
    role: 'tool',
    tool_call_id: 'c1',
    name: 'read',
    status: 'ok',
    content: [
      { type: 'text', text: 'page one' },
      { type: 'image', media_type: 'image/png', data: 'AAAA' },
    ],
  },
  { role: 'tool', tool_call_id: 'c2', name: 'read', status: 'error', content: [{ type: 'text', text: 'Error: gone' }] },
  user('And now?'),
];
const mark = { cache_control: { type: 'ephemeral' } };

describe('a request', () => {
  it('goes out as Messages: results with their status in one user message, tools whole', async () => {
    const outcome = answerOf(
      await use.ask({
        request: { system: 'Be brief.', messages: conversation, tools },
        settings: { temperature: 0.2, stop: ['END'], extra: { top_k: 3, messages: [] } },
      }),
    );
    expect(use.body()).toMatchObject({
      model: 'claude-sonnet-4-5',
      max_tokens: 64_000,
      temperature: 0.2,
      stop_sequences: ['END'],
      top_k: 3,
      stream: true,
      tool_choice: { type: 'auto' },
    });
    expect(use.body()['system']).toEqual([{ type: 'text', text: 'Be brief.' }]);
    expect(use.body()['tools']).toEqual([
      { name: 'read', description: 'Reads.', input_schema: tools[0]?.parameters },
      { name: 'either', description: 'Either.', input_schema: { type: 'object', properties: { a: {} } } },
    ]);
    expect(use.body()['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What is on the page?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'c1', name: 'read', input: { a: 1 } },
          { type: 'tool_use', id: 'c2', name: 'read', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c1',
            content: [
              { type: 'text', text: 'page one' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'Error: gone' }], is_error: true },
          { type: 'text', text: 'And now?' },
        ],
      },
    ]);
    expect(use.server.lastRequest().headers).toMatchObject({
      'x-api-key': TEST_KEY,
      'anthropic-version': '2023-06-01',
    });
    expect(outcome.wireHash).toBe(createHash('sha256').update(use.server.lastRequest().text).digest('hex'));
  });

  it('carries at most four cache marks: tools and system, and the farthest messages', async () => {
    const breakpoints = [
      { after: 'system' as const },
      ...[0, 1, 2, 3, 4].map((index) => ({ after: 'message' as const, index })),
    ];
    await use.ask({ request: { system: 'Be brief.', messages: conversation, tools }, cacheBreakpoints: breakpoints });
    const marks = use.server.lastRequest().text.split('"cache_control"').length - 1;
    expect(marks).toBe(4);
    expect(use.body()['system']).toEqual([{ type: 'text', text: 'Be brief.', ...mark }]);
    expect(use.body()['messages']).toMatchObject([{}, {}, { content: [mark, mark, mark] }]);
  });

  it('marks the tools where there is no system prompt, and nothing where the model has no cache', async () => {
    await use.ask({ request: { messages: conversation, tools }, cacheBreakpoints: [{ after: 'system' }] });
    expect(use.body()['tools']).toMatchObject([{ name: 'read' }, { name: 'either', ...mark }]);
    await use.ask(
      {
        request: { messages: conversation, tools },
        cacheBreakpoints: [{ after: 'system' }, { after: 'message', index: 4 }],
      },
      'local:plain',
    );
    expect(use.server.lastRequest().text).not.toContain('cache_control');
  });

  it('is the same bytes each time, also after a request with marks', async () => {
    const given: Given = { request: { messages: conversation } };
    const first = answerOf(await use.ask(given));
    await use.ask({ ...given, cacheBreakpoints: [{ after: 'message', index: 2 }] });
    expect(answerOf(await use.ask(given)).wireHash).toBe(first.wireHash);
  });

  it('sends reasoning back whole, first and with its signature', async () => {
    const messages: NeutralMessage[] = [
      user('q'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xx' },
          { type: 'text', text: 'a' },
        ],
        tool_calls: [],
      },
      user('and?'),
    ];
    await use.ask(
      {
        request: { messages },
        settings: { reasoning: { type: 'enabled', budget_tokens: 1_024, effort: 'low' } },
        cacheBreakpoints: [{ after: 'message', index: 1 }],
      },
      'local:thinker',
    );
    expect(use.body()).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      output_config: { effort: 'low' },
      max_tokens: 8_192,
    });
    expect(use.body()['messages']).toMatchObject([
      {},
      {
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xx' },
          { type: 'text', text: 'a', ...mark },
        ],
      },
      {},
    ]);
  });

  it('leaves thinking out of a request whose tool loop began without it (row 110)', async () => {
    const loop = (content: Extract<NeutralMessage, { role: 'assistant' }>['content']): NeutralMessage[] => [
      user('q'),
      { role: 'assistant', content, tool_calls: [{ id: 'call_2_0', name: 'read', arguments: '{}' }] },
      { role: 'tool', tool_call_id: 'call_2_0', name: 'read', status: 'ok', content: [{ type: 'text', text: 'x' }] },
    ];
    const settings = { reasoning: { type: 'enabled', budget_tokens: 1_024 } };
    await use.ask({ request: { messages: loop([]), tools }, settings }, 'local:thinker');
    expect(use.body()).not.toHaveProperty('thinking');
    const begun = loop([{ type: 'thinking', text: 'hm', signature: 'sig' }]);
    await use.ask({ request: { messages: begun, tools }, settings }, 'local:thinker');
    expect(use.body()).toHaveProperty('thinking');
  });

  it('carries tool_choice none, and no key when there is none', async () => {
    await use.ask({ request: { tools }, settings: { toolChoice: 'none' } }, 'keyless:claude-sonnet-4-5');
    expect(use.body()['tool_choice']).toEqual({ type: 'none' });
    expect(use.server.lastRequest().headers).not.toHaveProperty('x-api-key');
  });
});
