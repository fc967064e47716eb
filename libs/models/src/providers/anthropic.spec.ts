import { createHash } from 'node:crypto';
import type { NeutralMessage, ToolDeclaration } from '#libs/context';
import type { ModelOutcome, Models } from '#libs/engine';
import { startAnthropicServer } from '../../../../test/support/providers/anthropic-server.js';
import type { FakeProvider } from '../../../../test/support/providers/fake-provider.js';
import { createModels } from '../create-models.js';
import { connection } from '../testing/connection.js';
import { answerOf, failureOf, modelCall, textOf, user } from '../testing/model-call.js';

let server: FakeProvider;
let models: Models;
beforeAll(async () => {
  server = await startAnthropicServer();
  const settings = connection('local', { provider: 'anthropic', baseUrl: server.url });
  models = createModels({
    connections: new Map([['local', settings], ['keyless', { ...settings, name: 'keyless', apiKey: null }]]),
    overrides: { 'local:thinker': { api_format: 'anthropic_thinking' }, 'local:plain': { prompt_caching: false } },
  });
});
afterAll(() => server.stop());
beforeEach(() => server.reset());

type Given = Parameters<typeof modelCall>[1];
const MODEL = 'local:claude-sonnet-4-5';
const ask = (given: Given = {}, model = MODEL): Promise<ModelOutcome> => models.call(modelCall(model, given));
const body = (): { [key: string]: unknown } => server.lastRequest().json;

const tools: ToolDeclaration[] = [
  { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
  { name: 'either', description: 'Either.', parameters: { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] } },
];
const conversation: NeutralMessage[] = [
  user('What is on the page?'),
  { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }], tool_calls: [{ id: 'c1', name: 'read', arguments: '{"a": 1}' }, { id: 'c2', name: 'read', arguments: '{}' }] },
  { role: 'tool', tool_call_id: 'c1', name: 'read', status: 'ok', content: [{ type: 'text', text: 'page one' }, { type: 'image', media_type: 'image/png', data: 'AAAA' }] },
  { role: 'tool', tool_call_id: 'c2', name: 'read', status: 'error', content: [{ type: 'text', text: 'Error: gone' }] },
  user('And now?'),
];
const mark = { cache_control: { type: 'ephemeral' } };

describe('a request', () => {
  it('goes out as Messages: results with their status in one user message, tools whole', async () => {
    const outcome = answerOf(await ask({ request: { system: 'Be brief.', messages: conversation, tools }, settings: { temperature: 0.2, stop: ['END'], extra: { top_k: 3, messages: [] } } }));
    expect(body()).toMatchObject({ model: 'claude-sonnet-4-5', max_tokens: 64_000, temperature: 0.2, stop_sequences: ['END'], top_k: 3, stream: true, tool_choice: { type: 'auto' } });
    expect(body()['system']).toEqual([{ type: 'text', text: 'Be brief.' }]);
    expect(body()['tools']).toEqual([
      { name: 'read', description: 'Reads.', input_schema: tools[0]?.parameters },
      { name: 'either', description: 'Either.', input_schema: { type: 'object', properties: { a: {} } } },
    ]);
    expect(body()['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What is on the page?' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }, { type: 'tool_use', id: 'c1', name: 'read', input: { a: 1 } }, { type: 'tool_use', id: 'c2', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'page one' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }] },
          { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'Error: gone' }], is_error: true },
          { type: 'text', text: 'And now?' },
        ],
      },
    ]);
    expect(server.lastRequest().headers).toMatchObject({ 'x-api-key': 'sk-test-key-123456789', 'anthropic-version': '2023-06-01' });
    expect(outcome.wireHash).toBe(createHash('sha256').update(server.lastRequest().text).digest('hex'));
  });

  it('carries at most four cache marks: tools and system, and the farthest messages', async () => {
    const breakpoints = [{ after: 'system' as const }, ...[0, 1, 2, 3, 4].map((index) => ({ after: 'message' as const, index }))];
    await ask({ request: { system: 'Be brief.', messages: conversation, tools }, cacheBreakpoints: breakpoints });
    const marks = server.lastRequest().text.split('"cache_control"').length - 1;
    expect(marks).toBe(4);
    expect(body()['system']).toEqual([{ type: 'text', text: 'Be brief.', ...mark }]);
    expect(body()['messages']).toMatchObject([{}, {}, { content: [mark, mark, mark] }]);
  });

  it('marks the tools where there is no system prompt, and nothing where the model has no cache', async () => {
    await ask({ request: { messages: conversation, tools }, cacheBreakpoints: [{ after: 'system' }] });
    expect(body()['tools']).toMatchObject([{ name: 'read' }, { name: 'either', ...mark }]);
    await ask({ request: { messages: conversation, tools }, cacheBreakpoints: [{ after: 'system' }, { after: 'message', index: 4 }] }, 'local:plain');
    expect(server.lastRequest().text).not.toContain('cache_control');
  });

  it('is the same bytes each time, also after a request with marks', async () => {
    const given: Given = { request: { messages: conversation } };
    const first = answerOf(await ask(given));
    await ask({ ...given, cacheBreakpoints: [{ after: 'message', index: 2 }] });
    expect(answerOf(await ask(given)).wireHash).toBe(first.wireHash);
  });

  it('sends reasoning back whole, first and with its signature', async () => {
    const messages: NeutralMessage[] = [
      user('q'),
      { role: 'assistant', content: [{ type: 'thinking', text: 'hm', signature: 'sig' }, { type: 'redacted_thinking', data: 'xx' }, { type: 'text', text: 'a' }], tool_calls: [] },
      user('and?'),
    ];
    await ask({ request: { messages }, settings: { reasoning: { type: 'enabled', budget_tokens: 1_024, effort: 'low' } }, cacheBreakpoints: [{ after: 'message', index: 1 }] }, 'local:thinker');
    expect(body()).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 1_024 }, output_config: { effort: 'low' }, max_tokens: 8_192 });
    expect(body()['messages']).toMatchObject([
      {},
      { content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }, { type: 'redacted_thinking', data: 'xx' }, { type: 'text', text: 'a', ...mark }] },
      {},
    ]);
  });

  it('asks for structured output behind the cached prompt', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    await ask({ request: { system: 'Be brief.' }, settings: { outputSchema: schema }, cacheBreakpoints: [{ after: 'system' }] });
    expect(body()['system']).toEqual([{ type: 'text', text: 'Be brief.', ...mark }, { type: 'text', text: expect.stringContaining(JSON.stringify(schema)) }]);
  });

  it('carries tool_choice none, and no key when there is none', async () => {
    await ask({ request: { tools }, settings: { toolChoice: 'none' } }, 'keyless:claude-sonnet-4-5');
    expect(body()['tool_choice']).toEqual({ type: 'none' });
    expect(server.lastRequest().headers).not.toHaveProperty('x-api-key');
  });
});

describe('an answer', () => {
  it('has text, usage with cache reads and writes inside the input, and its cost', async () => {
    server.reply({ kind: 'answer', text: 'Hello, Ada. 😀', usage: { input: 100, cached: 1_000, cacheWrite: 400, output: 50 } });
    const outcome = answerOf(await ask());
    expect(outcome).toMatchObject({
      message: { content: [{ type: 'text', text: 'Hello, Ada. 😀' }], tool_calls: [] },
      finishReason: 'stop',
      usage: { input_tokens: 1_500, cached_tokens: 1_000, cache_write_tokens: 400, output_tokens: 50 },
      providerPayload: { id: 'msg_fake', stop_reason: 'end_turn' },
    });
    expect(outcome.costUsd).toBeCloseTo((100 * 3 + 1_000 * 0.3 + 400 * 3.75 + 50 * 15) / 1e6, 12);
  });

  it('keeps reasoning, text and parallel calls in order, arguments as received, also broken ones', async () => {
    const calls = [
      { id: 'toolu_1', name: 'read', arguments: '{"b": 1,  "a": 2.0}' },
      { id: 'toolu_2', name: 'read', arguments: '{"a": ' },
      { id: 'toolu_3', name: 'read', arguments: '' },
    ];
    server.reply({ kind: 'answer', thinking: { text: 'Let me see what there is.', signature: 'c2ln' }, redactedThinking: 'ZGF0YQ', text: 'Looking.', toolCalls: calls });
    const outcome = answerOf(await ask({ request: { tools }, settings: { reasoning: { type: 'enabled', budget_tokens: 1_024 } } }, 'local:thinker'));
    expect(outcome).toMatchObject({
      finishReason: 'tool_calls',
      message: {
        content: [{ type: 'thinking', text: 'Let me see what there is.', signature: 'c2ln' }, { type: 'redacted_thinking', data: 'ZGF0YQ' }, { type: 'text', text: 'Looking.' }],
        tool_calls: calls,
      },
    });
  });

  it('streams its text, not its reasoning', async () => {
    server.reply({ kind: 'answer', thinking: { text: 'Let me see.', signature: 's' }, text: 'one two three' });
    const deltas: string[] = [];
    await ask({ onDelta: (text) => deltas.push(text), settings: { reasoning: { type: 'enabled', budget_tokens: 1_024 } } }, 'local:thinker');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('one two three');
  });

  it('that was cut by length is an answer with that reason', async () => {
    server.reply({ kind: 'answer', text: 'Half a sent', finish: 'max_tokens' }, { kind: 'answer', text: 'x', finish: 'model_context_window_exceeded' });
    expect(answerOf(await ask())).toMatchObject({ finishReason: 'length', message: { content: [{ text: 'Half a sent' }] } });
    expect(answerOf(await ask()).finishReason).toBe('length');
  });

  it.each([
    ['empty_answer', {}],
    ['empty_answer', { text: '' }],
    ['refused', { text: 'I will not', finish: 'refusal' }],
    ['refused', { finish: 'refusal' }],
  ])('that is no answer fails as %s: %j', async (expected, answer) => {
    server.reply({ kind: 'answer', ...answer });
    expect(failureOf(await ask())).toMatchObject({ class: expected, usage: { input_tokens: 20, output_tokens: 5 } });
  });
});

describe('a failure', () => {
  const error = (type: string, message: string): unknown => ({ type: 'error', error: { type, message }, request_id: 'req_1' });

  it.each([
    [429, error('rate_limit_error', 'This request would exceed your rate limit'), 'rate_limited'],
    [529, error('overloaded_error', 'Overloaded'), 'overloaded'],
    [500, error('api_error', 'Internal server error'), 'server_error'],
    [504, error('timeout_error', 'Timed out'), 'server_error'],
    [401, error('authentication_error', 'invalid x-api-key sk-test-key-123456789'), 'authentication'],
    [402, error('billing_error', 'Your credit balance is too low'), 'authentication'],
    [403, error('permission_error', 'not allowed'), 'authentication'],
    [404, error('not_found_error', 'model: claude-x'), 'invalid_request'],
    [400, error('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'), 'context_overflow'],
    [413, error('request_too_large', 'Request exceeds the maximum size'), 'context_overflow'],
    [400, error('invalid_request_error', 'max_tokens: must be greater than 0'), 'invalid_request'],
  ])('with status %i and %j is %s', async (status, payload, expected) => {
    server.reply({ kind: 'status', status, headers: { 'retry-after': '3' }, body: payload });
    const failure = failureOf(await ask());
    expect(failure).toMatchObject({ class: expected, retryAfterMs: 3_000 });
    expect(failure.detail).not.toContain('sk-test-key');
    expect(server.requests).toHaveLength(1);
  });

  it('inside a stream keeps what came before it', async () => {
    server.reply({ kind: 'stream_error', text: 'A long text that never ends', error: { type: 'overloaded_error', message: 'Overloaded' } });
    expect(failureOf(await ask())).toMatchObject({ class: 'overloaded', partial: { content: [{ type: 'text', text: expect.stringMatching(/^A long/) }] }, usage: { input_tokens: 20 } });
  });

  it.each([['cut'], ['truncate']] as const)('of a stream that is %s is network', async (kind) => {
    server.reply({ kind, text: 'A long text that never ends' });
    expect(failureOf(await ask())).toMatchObject({ class: 'network', partial: { content: [{ type: 'text' }] } });
  });

  it.each([['hang'], ['stall']] as const)('of a server that %ss ends at the idle timeout and its socket is closed', async (kind) => {
    server.reply({ kind, text: 'A long text that never ends' });
    const request = server.nextRequest();
    expect(failureOf(await ask({ idleTimeoutMs: 150 })).class).toBe('timeout_idle');
    expect(await (await request).closedByClient).toBeGreaterThan(0);
  });

  it.each([['before', 'hang'], ['in the middle', 'stall']] as const)('is aborted when cancelled %s, which closes its socket within a second', async (_when, kind) => {
    server.reply({ kind, text: 'A long text that never ends' });
    const abort = new AbortController();
    const request = server.nextRequest();
    const pending = ask({ signal: abort.signal });
    const { closedByClient } = await request;
    const cancelledAt = Date.now();
    abort.abort();
    expect(failureOf(await pending).class).toBe('aborted');
    expect((await closedByClient) - cancelledAt).toBeLessThan(1_000);
  });

  it('that LangChain itself sees before sending is invalid_request', async () => {
    const outcome = await ask({ settings: { reasoning: { type: 'enabled', budget_tokens: 5 } } }, 'local:claude-opus-5');
    expect(failureOf(outcome)).toMatchObject({ class: 'invalid_request', detail: expect.stringContaining('adaptive') });
    expect(textOf(await ask())).toBe('ok');
  });
});
