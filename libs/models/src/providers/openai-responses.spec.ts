import { createHash } from 'node:crypto';
import { lint, reasoningItemPart, toWire, type NeutralMessage } from '#libs/context';
import { ReceivedAnswer } from '../answer/received-answer.js';
import { ResponsesReader } from '../answer/responses-answer.js';
import { answerOf, failureOf, user } from '../testing/model-call.js';
import { useResponses } from '../testing/use-responses.js';

const use = useResponses();

const item = reasoningItemPart({
  item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'secret' },
  calls_before: 0,
});
const tools = [{ name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } }];
const conversation: NeutralMessage[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is on the page?' },
      { type: 'image', media_type: 'image/png', data: 'AAAA' },
      { type: 'document', media_type: 'application/pdf', data: 'AAAA', name: 'a.pdf' },
    ],
  },
  {
    role: 'assistant',
    content: [item, { type: 'text', text: 'Looking.' }],
    tool_calls: [
      { id: 'call_2_0', name: 'read', arguments: '{"b": 1,  "a": 2.0}' },
      { id: 'call_2_1', name: 'read', arguments: '{}' },
    ],
  },
  { role: 'tool', tool_call_id: 'call_2_0', name: 'read', status: 'ok', content: [{ type: 'text', text: 'page one' }] },
  {
    role: 'tool',
    tool_call_id: 'call_2_1',
    name: 'read',
    status: 'ok',
    content: [
      { type: 'text', text: 'shot' },
      { type: 'image', media_type: 'image/png', data: 'AAAA' },
    ],
  },
  user('And this?'),
];

describe('a request to the Responses API', () => {
  it('goes out as the wire form says: stateless, instructions, encrypted reasoning, arguments untouched', async () => {
    const request = { system: 'Be brief.', messages: conversation, tools };
    expect(lint(request, 'openai_responses')).toEqual([]);
    const outcome = answerOf(
      await use.ask({
        request,
        settings: { maxOutputTokens: 99, reasoning: { effort: 'low' }, extra: { store: true, top_p: 0.5 } },
      }),
    );
    const wire = toWire(request, 'openai_responses');
    expect(use.body()).toEqual({
      model: 'o4-mini',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'Be brief.',
      reasoning: { effort: 'low' },
      max_output_tokens: 99,
      top_p: 0.5,
      tool_choice: 'auto',
      text: {},
      input: wire.messages,
      tools: wire.tools,
    });
    expect(outcome.wireHash).toBe(createHash('sha256').update(use.server.lastRequest().text).digest('hex'));
  });

  it('says the status of results in their text, and keeps tools declared where none may be called', async () => {
    const [asked, called] = conversation;
    const messages: NeutralMessage[] = [asked, called].flatMap((message) => (message === undefined ? [] : [message]));
    const result = (at: number, content: Extract<NeutralMessage, { role: 'tool' }>['content']): NeutralMessage => ({
      ...{ role: 'tool', tool_call_id: `call_2_${at}`, name: 'read', status: 'denied', content },
    });
    messages.push(result(0, [{ type: 'text', text: 'no' }]));
    messages.push(result(1, [{ type: 'image', media_type: 'image/png', data: 'AAAA' }]));
    await use.ask({ request: { messages, tools }, settings: { toolChoice: 'none' } });
    const input = use.body()['input'] as { output?: unknown }[];
    expect(input.flatMap(({ output }) => (output === undefined ? [] : [output]))).toEqual([
      '[denied] no',
      [
        { type: 'input_text', text: '[denied]' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
      ],
    ]);
    expect(use.body()).toMatchObject({ tool_choice: 'none', tools: [{ name: 'read' }] });
  });

  it('asks for a schema, and not for reasoning of models that have none', async () => {
    const outputSchema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    await use.ask({ settings: { outputSchema } }, 'local:gpt-4.1');
    expect(use.body()).toMatchObject({
      text: { format: { type: 'json_schema', name: 'output', strict: true, schema: outputSchema } },
    });
    expect(use.body()).not.toHaveProperty('include');
  });

  it('refuses stop sequences, which the API does not have, before anything is sent', async () => {
    const failure = failureOf(await use.ask({ settings: { stop: ['END'] } }));
    expect(failure).toMatchObject({ class: 'invalid_request' });
    expect(failure.detail).toContain('no stop sequences');
    expect(use.server.requests).toEqual([]);
  });
});

describe('an answer of the Responses API', () => {
  it('keeps reasoning encrypted for the next request, calls as received, usage and cost', async () => {
    const calls = [
      { id: 'c1', name: 'read', arguments: '{"b": 1,  "a": 2.0}' },
      { id: 'c2', name: 'read', arguments: '{"a": ' },
    ];
    use.server.reply({
      ...{ kind: 'answer', text: 'Looking. 😀', thinking: { text: 'hm', signature: 'secret' }, toolCalls: calls },
      usage: { input: 1_000, cached: 400, output: 50 },
    });
    const deltas: string[] = [];
    const outcome = answerOf(await use.ask({ onDelta: (text) => deltas.push(text) }));
    expect(outcome).toMatchObject({
      finishReason: 'tool_calls',
      usage: { input_tokens: 1_000, cached_tokens: 400, output_tokens: 50 },
      providerPayload: { id: 'resp_fake', model: 'o4-mini' },
    });
    expect(outcome.message).toEqual({
      content: [
        reasoningItemPart({
          item: {
            id: 'rs_1',
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: 'hm' }],
            encrypted_content: 'secret',
          },
          calls_before: 0,
        }),
        { type: 'text', text: 'Looking. 😀' },
      ],
      tool_calls: calls,
    });
    expect(deltas.join('')).toBe('Looking. 😀');
    expect(outcome.costUsd).toBeCloseTo((600 * 2 + 400 * 0.5 + 50 * 8) / 1e6, 12);
  });

  it('goes back as it came', async () => {
    use.server.reply({
      ...{ kind: 'answer', thinking: { text: '', signature: 'secret' } },
      toolCalls: [{ id: 'c1', name: 'read', arguments: '{}' }],
    });
    const { message } = answerOf(await use.ask());
    await use.ask({
      request: {
        messages: [
          user('Hello?'),
          { role: 'assistant', ...message },
          { role: 'tool', tool_call_id: 'c1', name: 'read', status: 'ok', content: [{ type: 'text', text: 'x' }] },
        ],
        tools,
      },
    });
    expect((use.body()['input'] as unknown[]).slice(1)).toEqual([
      { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'secret' },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
    ]);
  });

  it.each([
    ['length', { text: 'Half', finish: 'max_output_tokens' }],
    ['other', { text: 'Half', finish: 'whatever' }],
    ['stop', { text: 'Whole' }],
  ] as const)('ends with %s', async (finish, answer) => {
    use.server.reply({ kind: 'answer', ...answer });
    expect(answerOf(await use.ask()).finishReason).toBe(finish);
  });

  it.each([
    ['refused', { kind: 'answer', refusal: 'I cannot.' }],
    ['refused', { kind: 'answer', text: 'I ca', finish: 'content_filter' }],
    ['empty_answer', { kind: 'answer' }],
    ['network', { kind: 'truncate', text: 'A long text that never ends' }],
    ['network', { kind: 'cut', text: 'A long text that never ends' }],
    [
      'rate_limited',
      { kind: 'stream_error', text: 'A', error: { type: 'x', code: 'rate_limit_exceeded', message: 'slow' } },
    ],
    ['server_error', { kind: 'stream_error', text: 'A', error: { type: 'server_error', message: 'failed' } }],
    [
      'context_overflow',
      { kind: 'status', status: 400, body: { error: { code: 'context_length_exceeded', message: 'x' } } },
    ],
    ['authentication', { kind: 'status', status: 401, body: { error: { message: 'bad key' } } }],
  ] as const)('that is none fails as %s', async (expected, reply) => {
    use.server.reply(reply);
    expect(failureOf(await use.ask()).class).toBe(expected);
  });

  it('whose last event says that it failed is an error with its code', () => {
    const reader = new ResponsesReader(new ReceivedAnswer());
    const failed = { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'slow' } } };
    expect(() => reader.add(failed)).toThrow(
      expect.objectContaining({ error: { code: 'rate_limit_exceeded', message: 'slow' } }),
    );
  });

  it('that failed inside fails with its own error', async () => {
    use.server.reply({
      kind: 'stream_error',
      text: 'A',
      error: { type: 'rate_limit_exceeded', message: 'tokens per min' },
    });
    expect(failureOf(await use.ask())).toMatchObject({
      class: 'rate_limited',
      partial: { content: [{ type: 'text' }] },
    });
  });
});
