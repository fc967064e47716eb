import { answerOf, failureOf, textOf } from '../testing/model-call.js';
import { useOpenAi } from '../testing/use-openai.js';

const use = useOpenAi();

describe.each([
  ['whole', null],
  ['streamed', () => undefined],
] as const)('an answer that comes %s', (_, onDelta) => {
  it('has text, usage with cached tokens and its cost', async () => {
    use.server.reply({ kind: 'answer', text: 'Hello, Ada. 😀', usage: { input: 1_000, cached: 400, output: 50 } });
    const outcome = answerOf(await use.ask({ onDelta }));
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
    use.server.reply({ kind: 'answer', text: 'Looking.', toolCalls: calls });
    const outcome = answerOf(await use.ask({ onDelta }));
    expect(outcome).toMatchObject({
      finishReason: 'tool_calls',
      message: { content: [{ type: 'text', text: 'Looking.' }], tool_calls: calls },
    });
  });

  it('keeps the reasoning of compatible servers apart from its text', async () => {
    const thinking = { text: 'Let me see what there is.', signature: '' };
    use.server.reply({ kind: 'answer', thinking, text: 'Done.' });
    expect(answerOf(await use.ask({ onDelta })).message.content).toEqual([
      { type: 'thinking', text: 'Let me see what there is.' },
      { type: 'text', text: 'Done.' },
    ]);
  });

  it('that was cut by length is an answer with that reason', async () => {
    use.server.reply({ kind: 'answer', text: 'Half a sent', finish: 'length' });
    expect(answerOf(await use.ask({ onDelta }))).toMatchObject({
      finishReason: 'length',
      message: { content: [{ text: 'Half a sent' }] },
    });
  });

  it('that was cut by length with a schema is one too', async () => {
    use.server.reply({ kind: 'answer', text: '{"a":', finish: 'length' });
    expect(answerOf(await use.ask({ onDelta, settings: { outputSchema: { type: 'object' } } })).finishReason).toBe(
      'length',
    );
  });

  it.each([
    ['empty_answer', {}],
    ['empty_answer', { text: '  \n' }],
    ['refused', { refusal: 'I cannot help with that.' }],
    ['refused', { text: 'I ca', finish: 'content_filter' }],
  ])('that is no answer fails as %s', async (expected, answer) => {
    use.server.reply({ kind: 'answer', ...answer });
    expect(failureOf(await use.ask({ onDelta }))).toMatchObject({ class: expected, usage: { input_tokens: 20 } });
  });

  it('whose socket is cut fails as network', async () => {
    use.server.reply({ kind: 'cut', text: 'A long text that never ends' });
    const failure = failureOf(await use.ask({ onDelta }));
    expect(failure.class).toBe('network');
    if (onDelta !== null)
      expect(failure.partial).toMatchObject({ content: [{ type: 'text', text: expect.stringMatching(/^A long/) }] });
  });

  it('that stalls ends at the idle timeout and its socket is closed', async () => {
    use.server.reply({ kind: 'stall', text: 'A long text that never ends' });
    const request = use.server.nextRequest();
    const outcome = await use.ask({ onDelta, idleTimeoutMs: 150 });
    expect(failureOf(outcome).class).toBe('timeout_idle');
    expect(await (await request).closedByClient).toBeGreaterThan(0);
  });

  it.each([
    ['before', 'hang'],
    ['in the middle', 'stall'],
  ] as const)('is cancelled %s, which closes its socket', async (_when, kind) => {
    use.server.reply({ kind, text: 'A long text that never ends' });
    const abort = new AbortController();
    const request = use.server.nextRequest();
    // Nothing else ends it before the test's own end.
    const pending = use.ask({ onDelta, signal: abort.signal, idleTimeoutMs: 600_000, totalTimeoutMs: 600_000 });
    const { closedByClient } = await request;
    abort.abort();
    expect(failureOf(await pending).class).toBe('aborted');
    await closedByClient;
  });
});

describe('streaming', () => {
  it('hands out text as it comes', async () => {
    use.server.reply({ kind: 'answer', text: 'one two three four' });
    const deltas: string[] = [];
    expect(textOf(await use.ask({ onDelta: (text) => deltas.push(text) }))).toBe('one two three four');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('one two three four');
  });

  it('that ends without a finish reason fails as network, with what came', async () => {
    use.server.reply({ kind: 'truncate', text: 'A long text that never ends' });
    expect(failureOf(await use.ask({ onDelta: () => undefined }))).toMatchObject({
      class: 'network',
      partial: { content: [{ type: 'text' }] },
    });
  });

  it.each([
    ['overloaded', { type: 'overloaded_error', message: 'busy' }],
    ['server_error', { type: 'server_error', message: 'The server had an error' }],
    ['rate_limited', { type: 'rate_limit_error', message: 'slow down' }],
  ])('that turns into an error fails as %s', async (expected, error) => {
    use.server.reply({ kind: 'stream_error', text: 'A long text', error });
    expect(failureOf(await use.ask({ onDelta: () => undefined })).class).toBe(expected);
  });
});
