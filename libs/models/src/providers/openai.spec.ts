import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { NeutralMessage } from '#libs/context';
import type { ModelCall, ModelOutcome, Models } from '#libs/engine';
import type { FakeProvider } from '../../../../test/support/providers/fake-provider.js';
import { startOpenAiServer } from '../../../../test/support/providers/openai-server.js';
import { createModels } from '../create-models.js';
import { OVERFLOW_PHRASES } from '../failures/overflow-phrases.js';
import { connection } from '../testing/connection.js';
import { answerOf, failureOf, modelCall, textOf, user } from '../testing/model-call.js';

let server: FakeProvider;
let models: Models;
beforeAll(async () => {
  server = await startOpenAiServer();
  const settings = connection('local', { baseUrl: `${server.url}/v1`, headers: { 'x-team': 'blue' } });
  models = createModels({
    connections: new Map([
      ['local', settings],
      ['keyless', { ...settings, name: 'keyless', apiKey: null, headers: {} }],
      ['guarded', { ...settings, name: 'guarded', allowPrivateAddresses: false }],
      ['unset', connection('unset', { apiKey: null })],
      ['nobody', connection('nobody', { baseUrl: `http://127.0.0.1:${await closedPort()}/v1` })],
    ]),
    overrides: { 'local:m': { prices_per_million: { input: 2, cached_input: 0.5, output: 8 } } },
  });
});
afterAll(() => server.stop());

async function closedPort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => listener.close(resolve));
  return port;
}

beforeEach(() => server.reset());

type Given = Parameters<typeof modelCall>[1];
const ask = (given: Given = {}, model = 'local:m'): Promise<ModelOutcome> => models.call(modelCall(model, given));
const body = (): { [key: string]: unknown } => server.lastRequest().json;

const conversation: NeutralMessage[] = [
  user('What is on the page?'),
  {
    role: 'assistant',
    content: [{ type: 'thinking', text: 'hm', signature: 's' }, { type: 'text', text: 'Looking.' }],
    tool_calls: [{ id: 'c1', name: 'read', arguments: '{"b": 1,  "a": 2.0}' }, { id: 'c2', name: 'read', arguments: '{}' }],
  },
  { role: 'tool', tool_call_id: 'c1', name: 'read', status: 'ok', content: [{ type: 'text', text: 'page one' }] },
  { role: 'tool', tool_call_id: 'c2', name: 'read', status: 'denied', content: [{ type: 'text', text: 'not allowed' }] },
  { role: 'user', content: [{ type: 'text', text: 'And this?' }, { type: 'image', media_type: 'image/png', data: 'AAAA' }] },
];

describe('a request', () => {
  it('goes out as written: system first, argument strings untouched, status of results in their text', async () => {
    const tools = [{ name: 'read', description: 'Reads.', parameters: { type: 'object', properties: { a: { type: 'number' } } } }];
    const outcome = answerOf(await ask({ request: { system: 'Be brief.', messages: conversation, tools }, settings: { temperature: 0.2, maxOutputTokens: 99, stop: ['END'], extra: { seed: 7, model: 'evil', messages: [] } } }));
    expect(body()).toMatchObject({ model: 'm', temperature: 0.2, max_tokens: 99, stop: ['END'], seed: 7, tool_choice: 'auto' });
    expect(body()).not.toHaveProperty('prompt_cache_key');
    expect(body()['tools']).toEqual([{ type: 'function', function: tools[0] }]);
    expect(body()['messages']).toEqual([
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
      { role: 'user', content: [{ type: 'text', text: 'And this?' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    ]);
    expect(server.lastRequest().headers).toMatchObject({ authorization: 'Bearer sk-test-key-123456789', 'x-team': 'blue' });
    expect(outcome.wireHash).toBe(createHash('sha256').update(server.lastRequest().text).digest('hex'));
  });

  it('is the same bytes each time, also when its messages were converted before', async () => {
    const given: Given = { request: { messages: conversation } };
    const [first, second] = [answerOf(await ask(given)), answerOf(await ask(given))];
    expect(second.wireHash).toBe(first.wireHash);
  });

  it('carries tool_choice none and reasoning effort', async () => {
    await ask({ request: { tools: [{ name: 'read', description: '', parameters: {} }] }, settings: { toolChoice: 'none', reasoning: { effort: 'low' } } });
    expect(body()).toMatchObject({ tool_choice: 'none', reasoning_effort: 'low' });
  });

  it('asks for structured output, strictly where the schema allows it', async () => {
    const closed = { type: 'object', required: ['a'], additionalProperties: false, properties: { a: { type: 'string' } } };
    server.reply({ kind: 'answer', text: '{"a":"x"}' }, { kind: 'answer', text: '{"a":"x"}' });
    expect(textOf(await ask({ settings: { outputSchema: closed } }))).toBe('{"a":"x"}');
    expect(body()['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'output', schema: closed, strict: true } });
    await ask({ settings: { outputSchema: { ...closed, additionalProperties: true } } });
    expect(body()['response_format']).toMatchObject({ json_schema: { strict: false } });
  });

  it('carries no key when there is none', async () => {
    await ask({}, 'keyless:m');
    expect(server.lastRequest().headers).not.toHaveProperty('authorization');
  });
});

describe.each([['whole', null], ['streamed', () => undefined]] as const)('an answer that comes %s', (_, onDelta) => {
  it('has text, usage with cached tokens and its cost', async () => {
    server.reply({ kind: 'answer', text: 'Hello, Ada. 😀', usage: { input: 1_000, cached: 400, output: 50 } });
    const outcome = answerOf(await ask({ onDelta }));
    expect(outcome).toMatchObject({
      message: { content: [{ type: 'text', text: 'Hello, Ada. 😀' }], tool_calls: [] },
      finishReason: 'stop',
      usage: { input_tokens: 1_000, cached_tokens: 400, cache_write_tokens: 0, output_tokens: 50 },
      providerPayload: { id: 'chatcmpl-fake', model: 'm', system_fingerprint: 'fp_fake' },
    });
    expect(outcome.costUsd).toBeCloseTo((600 * 2 + 400 * 0.5 + 50 * 8) / 1e6, 12);
  });

  it('keeps parallel calls in their order, arguments as received, also broken ones', async () => {
    const calls = [
      { id: 'c1', name: 'search', arguments: '{"b": 1,  "a": 2.0}' },
      { id: 'c2', name: 'search', arguments: '{"a": ' },
      { id: 'c2', name: 'now', arguments: '' },
    ];
    server.reply({ kind: 'answer', text: 'Looking.', toolCalls: calls });
    const outcome = answerOf(await ask({ onDelta }));
    expect(outcome).toMatchObject({ finishReason: 'tool_calls', message: { content: [{ type: 'text', text: 'Looking.' }], tool_calls: calls } });
  });

  it('that was cut by length is an answer with that reason', async () => {
    server.reply({ kind: 'answer', text: 'Half a sent', finish: 'length' });
    expect(answerOf(await ask({ onDelta }))).toMatchObject({ finishReason: 'length', message: { content: [{ text: 'Half a sent' }] } });
  });

  it('that was cut by length with a schema is one too', async () => {
    server.reply({ kind: 'answer', text: '{"a":', finish: 'length' });
    expect(answerOf(await ask({ onDelta, settings: { outputSchema: { type: 'object' } } })).finishReason).toBe('length');
  });

  it.each([
    ['empty_answer', {}],
    ['empty_answer', { text: '  \n' }],
    ['refused', { refusal: 'I cannot help with that.' }],
    ['refused', { text: 'I ca', finish: 'content_filter' }],
  ])('that is no answer fails as %s', async (expected, answer) => {
    server.reply({ kind: 'answer', ...answer });
    expect(failureOf(await ask({ onDelta }))).toMatchObject({ class: expected, usage: { input_tokens: 20 } });
  });

  it('whose socket is cut fails as network', async () => {
    server.reply({ kind: 'cut', text: 'A long text that never ends' });
    const failure = failureOf(await ask({ onDelta }));
    expect(failure.class).toBe('network');
    if (onDelta !== null) expect(failure.partial).toMatchObject({ content: [{ type: 'text', text: expect.stringMatching(/^A long/) }] });
  });

  it('that stalls ends at the idle timeout and its socket is closed', async () => {
    server.reply({ kind: 'stall', text: 'A long text that never ends' });
    const request = server.nextRequest();
    const outcome = await ask({ onDelta, idleTimeoutMs: 150 });
    expect(failureOf(outcome).class).toBe('timeout_idle');
    expect(await (await request).closedByClient).toBeGreaterThan(0);
  });

  it.each([['before', 'hang'], ['in the middle', 'stall']] as const)('is cancelled %s, which closes its socket within a second', async (_when, kind) => {
    server.reply({ kind, text: 'A long text that never ends' });
    const abort = new AbortController();
    const request = server.nextRequest();
    const pending = ask({ onDelta, signal: abort.signal });
    const { closedByClient } = await request;
    const cancelledAt = Date.now();
    abort.abort();
    expect(failureOf(await pending).class).toBe('aborted');
    expect((await closedByClient) - cancelledAt).toBeLessThan(1_000);
  });
});

describe('streaming', () => {
  it('hands out text as it comes', async () => {
    server.reply({ kind: 'answer', text: 'one two three four' });
    const deltas: string[] = [];
    expect(textOf(await ask({ onDelta: (text) => deltas.push(text) }))).toBe('one two three four');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('one two three four');
  });

  it('that ends without a finish reason fails as network, with what came', async () => {
    server.reply({ kind: 'truncate', text: 'A long text that never ends' });
    expect(failureOf(await ask({ onDelta: () => undefined }))).toMatchObject({ class: 'network', partial: { content: [{ type: 'text' }] } });
  });

  it.each([
    ['overloaded', { type: 'overloaded_error', message: 'busy' }],
    ['server_error', { type: 'server_error', message: 'The server had an error' }],
    ['rate_limited', { type: 'rate_limit_error', message: 'slow down' }],
  ])('that turns into an error fails as %s', async (expected, error) => {
    server.reply({ kind: 'stream_error', text: 'A long text', error });
    expect(failureOf(await ask({ onDelta: () => undefined })).class).toBe(expected);
  });
});

describe('a failure', () => {
  const error = (type: string, message: string, code: string | null = null): unknown => ({ error: { type, message, code, param: null } });

  it.each([
    [429, error('requests', 'Rate limit reached', 'rate_limit_exceeded'), 'rate_limited'],
    [429, error('tokens', 'Request too large for m on tokens per min (TPM): maximum context length', 'rate_limit_exceeded'), 'rate_limited'],
    [429, error('insufficient_quota', 'You exceeded your current quota', 'insufficient_quota'), 'authentication'],
    [500, error('server_error', 'The server had an error'), 'server_error'],
    [502, '<html><body>Bad Gateway</body></html>', 'server_error'],
    [503, error('server_error', 'Slow down'), 'server_error'],
    [503, 'unavailable', 'overloaded'],
    [529, error('overloaded_error', 'Overloaded'), 'overloaded'],
    [401, error('invalid_request_error', 'Incorrect API key provided: sk-test-key-123456789', 'invalid_api_key'), 'authentication'],
    [403, error('permission_error', 'no'), 'authentication'],
    [404, error('invalid_request_error', 'The model `m` does not exist', 'model_not_found'), 'invalid_request'],
    [400, error('invalid_request_error', 'Unsupported value: temperature'), 'invalid_request'],
    [422, { detail: 'Field required' }, 'invalid_request'],
    [307, '', 'invalid_request'],
  ])('with status %i and %j is %s', async (status, payload, expected) => {
    server.reply({ kind: 'status', status, body: payload });
    const failure = failureOf(await ask());
    expect(failure).toMatchObject({ class: expected, detail: expect.stringContaining(`HTTP ${status}`) });
    expect(failure.detail).not.toContain('sk-test-key');
  });

  it.each(OVERFLOW_PHRASES.map(({ source, example }) => [source, example]))('of %s about the window is context_overflow: %s', async (_source, example) => {
    server.reply({ kind: 'status', status: 400, body: error('invalid_request_error', example) });
    expect(failureOf(await ask()).class).toBe('context_overflow');
  });

  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('says when to try again: %j', async (headers, expected) => {
    server.reply({ kind: 'status', status: 429, headers, body: error('requests', 'x') });
    expect(failureOf(await ask()).retryAfterMs).toBe(expected);
  });

  it('asks once: retries are not the client’s', async () => {
    server.reply({ kind: 'status', status: 500, body: error('server_error', 'x') });
    await ask();
    expect(server.requests).toHaveLength(1);
  });

  it('does not repeat what was sent', async () => {
    const secret = 'The launch code is 7741-ALPHA.';
    server.reply({ kind: 'status', status: 400, body: error('invalid_request_error', `Invalid content: ${secret} at messages[0]`) });
    const failure = failureOf(await ask({ request: { messages: [user(secret)] } }));
    expect(failure.detail).toContain('Invalid content');
    expect(failure.detail).not.toContain('7741');
  });

  it('of a body that is no JSON is server_error', async () => {
    server.reply({ kind: 'status', status: 200, body: '<html>login</html>' });
    expect(failureOf(await ask()).class).toBe('server_error');
  });

  it('of a socket that never answers is timeout_total', async () => {
    server.reply({ kind: 'hang' });
    expect(failureOf(await ask({ totalTimeoutMs: 150 })).class).toBe('timeout_total');
  });

  it('of a host that is not there is network', async () => {
    expect(failureOf(await ask({}, 'nobody:m'))).toMatchObject({ class: 'network', detail: expect.stringContaining('ECONNREFUSED') });
  });

  it('of a private address that the operator did not allow names the setting', async () => {
    const failure = failureOf(await ask({}, 'guarded:m'));
    expect(failure).toMatchObject({ class: 'invalid_request', detail: expect.stringContaining('private') });
    expect(server.requests).toHaveLength(0);
  });

  it('for want of a key names where it is read from', async () => {
    expect(failureOf(await ask({}, 'unset:gpt-4.1'))).toMatchObject({ class: 'authentication', detail: expect.stringContaining('OPENAI_API_KEY') });
  });

  it('of a call that was cancelled before it began is aborted', async () => {
    const call: ModelCall = modelCall('local:m', { signal: AbortSignal.abort() });
    expect(failureOf(await models.call(call)).class).toBe('aborted');
    expect(server.requests).toHaveLength(0);
  });
});
