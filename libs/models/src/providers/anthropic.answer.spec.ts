import { OVERFLOW_PHRASES } from '../failures/overflow-phrases.js';
import { TEST_KEY } from '../testing/connection.js';
import { answerOf, failureOf, textOf } from '../testing/model-call.js';
import { useAnthropic } from '../testing/use-anthropic.js';

const use = useAnthropic();
const read = { name: 'read', description: 'Reads.', parameters: { type: 'object' } };

describe('an answer', () => {
  it('has text, usage with cache reads and writes inside the input, and its cost', async () => {
    use.server.reply({
      kind: 'answer',
      text: 'Hello, Ada. 😀',
      usage: { input: 100, cached: 1_000, cacheWrite: 400, output: 50 },
    });
    const outcome = answerOf(await use.ask());
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
    use.server.reply({
      kind: 'answer',
      thinking: { text: 'Let me see what there is.', signature: 'c2ln' },
      redactedThinking: 'ZGF0YQ',
      text: 'Looking.',
      toolCalls: calls,
    });
    const outcome = answerOf(
      await use.ask(
        { request: { tools: [read] }, settings: { reasoning: { type: 'enabled', budget_tokens: 1_024 } } },
        'local:thinker',
      ),
    );
    expect(outcome).toMatchObject({
      finishReason: 'tool_calls',
      message: {
        content: [
          { type: 'thinking', text: 'Let me see what there is.', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'ZGF0YQ' },
          { type: 'text', text: 'Looking.' },
        ],
        tool_calls: calls,
      },
    });
  });

  it('streams its text, not its reasoning', async () => {
    use.server.reply({ kind: 'answer', thinking: { text: 'Let me see.', signature: 's' }, text: 'one two three' });
    const deltas: string[] = [];
    await use.ask(
      { onDelta: (text) => deltas.push(text), settings: { reasoning: { type: 'enabled', budget_tokens: 1_024 } } },
      'local:thinker',
    );
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('one two three');
  });

  it('that was cut by length is an answer with that reason', async () => {
    use.server.reply(
      { kind: 'answer', text: 'Half a sent', finish: 'max_tokens' },
      { kind: 'answer', text: 'x', finish: 'model_context_window_exceeded' },
    );
    expect(answerOf(await use.ask())).toMatchObject({
      finishReason: 'length',
      message: { content: [{ text: 'Half a sent' }] },
    });
    expect(answerOf(await use.ask()).finishReason).toBe('length');
  });

  it.each([
    ['empty_answer', {}],
    ['empty_answer', { text: '' }],
    ['refused', { text: 'I will not', finish: 'refusal' }],
    ['refused', { finish: 'refusal' }],
  ])('that is no answer fails as %s: %j', async (expected, answer) => {
    use.server.reply({ kind: 'answer', ...answer });
    expect(failureOf(await use.ask())).toMatchObject({
      class: expected,
      usage: { input_tokens: 20, output_tokens: 5 },
    });
  });
});

describe('a failure', () => {
  const error = (type: string, message: string): unknown => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_1',
  });

  it.each([
    [429, error('rate_limit_error', 'This request would exceed your rate limit'), 'rate_limited'],
    [529, error('overloaded_error', 'Overloaded'), 'overloaded'],
    [500, error('api_error', 'Internal server error'), 'server_error'],
    [504, error('timeout_error', 'Timed out'), 'server_error'],
    [401, error('authentication_error', `invalid x-api-key ${TEST_KEY}`), 'authentication'],
    [402, error('billing_error', 'Your credit balance is too low'), 'authentication'],
    [403, error('permission_error', 'not allowed'), 'authentication'],
    [404, error('not_found_error', 'model: claude-x'), 'invalid_request'],
    [400, error('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'), 'context_overflow'],
    [413, error('request_too_large', 'Request exceeds the maximum size'), 'context_overflow'],
    [400, error('invalid_request_error', 'max_tokens: must be greater than 0'), 'invalid_request'],
  ])('with status %i and %j is %s', async (status, payload, expected) => {
    use.server.reply({ kind: 'status', status, headers: { 'retry-after': '3' }, body: payload });
    const failure = failureOf(await use.ask());
    expect(failure).toMatchObject({ class: expected, retryAfterMs: 3_000 });
    expect(failure.detail).not.toContain(TEST_KEY);
    expect(use.server.requests).toHaveLength(1);
  });

  it.each(OVERFLOW_PHRASES.map(({ source, example }) => [source, example]))(
    'of %s about the window is context_overflow: %s',
    async (_source, example) => {
      use.server.reply({ kind: 'status', status: 400, body: error('invalid_request_error', example) });
      expect(failureOf(await use.ask()).class).toBe('context_overflow');
    },
  );

  it('says when to try again as a date too', async () => {
    const headers = { 'retry-after': new Date(Date.now() + 86_400_000).toUTCString() };
    use.server.reply({ kind: 'status', status: 529, headers, body: error('overloaded_error', 'Overloaded') });
    const { retryAfterMs } = failureOf(await use.ask());
    // To ten minutes: the test may be slow.
    expect(Math.round((retryAfterMs ?? 0) / 600_000)).toBe(144);
  });

  it('inside a stream keeps what came before it', async () => {
    use.server.reply({
      kind: 'stream_error',
      text: 'A long text that never ends',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
    expect(failureOf(await use.ask())).toMatchObject({
      class: 'overloaded',
      partial: { content: [{ type: 'text', text: expect.stringMatching(/^A long/) }] },
      usage: { input_tokens: 20 },
    });
  });

  it.each([['cut'], ['truncate']] as const)('of a stream that is %s is network', async (kind) => {
    use.server.reply({ kind, text: 'A long text that never ends' });
    expect(failureOf(await use.ask())).toMatchObject({ class: 'network', partial: { content: [{ type: 'text' }] } });
  });

  it.each([['hang'], ['stall']] as const)(
    'of a server that %ss ends at the idle timeout and its socket is closed',
    async (kind) => {
      use.server.reply({ kind, text: 'A long text that never ends' });
      const request = use.server.nextRequest();
      expect(failureOf(await use.ask({ idleTimeoutMs: 150 })).class).toBe('timeout_idle');
      expect(await (await request).closedByClient).toBeGreaterThan(0);
    },
  );

  it.each([
    ['before', 'hang'],
    ['in the middle', 'stall'],
  ] as const)('is aborted when cancelled %s, which closes its socket', async (_when, kind) => {
    use.server.reply({ kind, text: 'A long text that never ends' });
    const abort = new AbortController();
    const request = use.server.nextRequest();
    // Nothing else ends it before the test's own end.
    const pending = use.ask({ signal: abort.signal, idleTimeoutMs: 600_000, totalTimeoutMs: 600_000 });
    const { closedByClient } = await request;
    abort.abort();
    expect(failureOf(await pending).class).toBe('aborted');
    await closedByClient;
  });

  it('that LangChain itself sees before sending is invalid_request', async () => {
    const outcome = await use.ask(
      { settings: { reasoning: { type: 'enabled', budget_tokens: 5 } } },
      'local:claude-opus-5',
    );
    expect(failureOf(outcome)).toMatchObject({ class: 'invalid_request', detail: expect.stringContaining('adaptive') });
    expect(textOf(await use.ask())).toBe('ok');
  });
});
