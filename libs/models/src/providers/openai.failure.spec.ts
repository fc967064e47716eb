import type { ModelCall } from '#libs/engine';
import { OVERFLOW_PHRASES } from '../failures/overflow-phrases.js';
import { TEST_KEY } from '../testing/connection.js';
import { failureOf, modelCall, user } from '../testing/model-call.js';
import { useOpenAi } from '../testing/use-openai.js';

const use = useOpenAi();

describe('a failure', () => {
  const error = (type: string, message: string, code: string | null = null): unknown => ({
    error: { type, message, code, param: null },
  });

  it.each([
    [429, error('requests', 'Rate limit reached', 'rate_limit_exceeded'), 'rate_limited'],
    [
      429,
      error('tokens', 'Request too large for m on tokens per min (TPM): maximum context length', 'rate_limit_exceeded'),
      'rate_limited',
    ],
    [429, error('insufficient_quota', 'You exceeded your current quota', 'insufficient_quota'), 'authentication'],
    [500, error('server_error', 'The server had an error'), 'server_error'],
    [502, '<html><body>Bad Gateway</body></html>', 'server_error'],
    [503, error('server_error', 'Slow down'), 'server_error'],
    [503, 'unavailable', 'overloaded'],
    [529, error('overloaded_error', 'Overloaded'), 'overloaded'],
    [
      401,
      error('invalid_request_error', `Incorrect API key provided: ${TEST_KEY}`, 'invalid_api_key'),
      'authentication',
    ],
    [403, error('permission_error', 'no'), 'authentication'],
    [404, error('invalid_request_error', 'The model `m` does not exist', 'model_not_found'), 'invalid_request'],
    [400, error('invalid_request_error', 'Unsupported value: temperature'), 'invalid_request'],
    [422, { detail: 'Field required' }, 'invalid_request'],
    [307, '', 'invalid_request'],
  ])('with status %i and %j is %s', async (status, payload, expected) => {
    use.server.reply({ kind: 'status', status, body: payload });
    const failure = failureOf(await use.ask());
    expect(failure).toMatchObject({ class: expected, detail: expect.stringContaining(`HTTP ${status}`) });
    expect(failure.detail).not.toContain(TEST_KEY);
  });

  it.each(OVERFLOW_PHRASES.map(({ source, example }) => [source, example]))(
    'of %s about the window is context_overflow: %s',
    async (_source, example) => {
      use.server.reply({ kind: 'status', status: 400, body: error('invalid_request_error', example) });
      expect(failureOf(await use.ask()).class).toBe('context_overflow');
    },
  );

  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('says when to try again: %j', async (headers, expected) => {
    use.server.reply({ kind: 'status', status: 429, headers, body: error('requests', 'x') });
    expect(failureOf(await use.ask()).retryAfterMs).toBe(expected);
  });

  it('says when to try again as a date that is to come', async () => {
    const headers = { 'retry-after': new Date(Date.now() + 86_400_000).toUTCString() };
    use.server.reply({ kind: 'status', status: 503, headers, body: 'unavailable' });
    const { retryAfterMs } = failureOf(await use.ask());
    // To ten minutes: the test may be slow.
    expect(Math.round((retryAfterMs ?? 0) / 600_000)).toBe(144);
  });

  it('asks once: retries are not the client’s', async () => {
    use.server.reply({ kind: 'status', status: 500, body: error('server_error', 'x') });
    await use.ask();
    expect(use.server.requests).toHaveLength(1);
  });

  it('does not repeat what was sent', async () => {
    const secret = 'The launch code is 7741-ALPHA.';
    use.server.reply({
      kind: 'status',
      status: 400,
      body: error('invalid_request_error', `Invalid content: ${secret} at messages[0]`),
    });
    const failure = failureOf(await use.ask({ request: { messages: [user(secret)] } }));
    expect(failure.detail).toContain('Invalid content');
    expect(failure.detail).not.toContain('7741');
  });

  it('of a body that is no JSON is server_error', async () => {
    use.server.reply({ kind: 'status', status: 200, body: '<html>login</html>' });
    expect(failureOf(await use.ask()).class).toBe('server_error');
  });

  it('of a socket that never answers is timeout_total', async () => {
    use.server.reply({ kind: 'hang' });
    expect(failureOf(await use.ask({ totalTimeoutMs: 150 })).class).toBe('timeout_total');
  });

  it('of a host that is not there is network', async () => {
    expect(failureOf(await use.ask({}, 'nobody:m'))).toMatchObject({
      class: 'network',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('of a private address that the operator did not allow names the setting', async () => {
    const failure = failureOf(await use.ask({}, 'guarded:m'));
    expect(failure).toMatchObject({ class: 'invalid_request', detail: expect.stringContaining('private') });
    expect(use.server.requests).toHaveLength(0);
  });

  it('for want of a key names where it is read from', async () => {
    expect(failureOf(await use.ask({}, 'unset:gpt-4.1'))).toMatchObject({
      class: 'authentication',
      detail: expect.stringContaining('OPENAI_API_KEY'),
    });
  });

  it('of a call that was cancelled before it began is aborted', async () => {
    const call: ModelCall = modelCall('local:m', { signal: AbortSignal.abort() });
    expect(failureOf(await use.models.call(call)).class).toBe('aborted');
    expect(use.server.requests).toHaveLength(0);
  });
});
