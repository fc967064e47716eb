import { callHttp } from '../testing/call-http.js';
import { useHttpTarget } from '../testing/http-target.js';

const target = useHttpTarget();
const call: typeof callHttp = (given, options) =>
  callHttp({ url: target.url('/'), ...given }, { inputs: { base: target.url('') }, ...options });

describe('an answer', () => {
  const respond = (status: number, type: string | null, body: string | Buffer): void => {
    target.answer = (_, response) => {
      response.writeHead(status, type === null ? {} : { 'content-type': type });
      response.end(body);
    };
  };

  it.each([
    ['application/json', '{"b":1, "a":2}', '{"b":1, "a":2}'],
    ['text/plain; charset=iso-8859-1', Buffer.from([0x67, 0x72, 0xfc, 0x6e]), 'grün'],
    ['text/html', '<p>x</p>', '<p>x</p>'],
    [null, 'plain', 'plain'],
  ])('of type %s is text', async (type, body, expected) => {
    respond(200, type, body);
    expect(await call({})).toEqual({ status: 'ok', content: expected });
  });

  it('is a receipt where the result comes later, and the endpoint learns where it belongs', async () => {
    respond(202, 'application/json', '{"job":7}');
    expect(await call({ resultComesLater: true })).toEqual({ status: 'pending', content: '{"job":7}' });
    expect(target.last().headers).toMatchObject({ 'weir-run-id': 'r', 'weir-step-id': 'a', 'weir-call': '1' });
    respond(400, 'text/plain', 'no');
    expect(await call({ resultComesLater: true })).toMatchObject({ status: 'error' });
    respond(202, 'text/plain', 'done');
    expect(await call({})).toEqual({ status: 'ok', content: 'done' });
    expect(target.last().headers).not.toHaveProperty('weir-run-id');
  });

  it('that is an image or a PDF is a part', async () => {
    respond(200, 'image/png', Buffer.from([1, 2, 3]));
    expect(await call({})).toEqual({
      status: 'ok',
      content: [{ type: 'image', media_type: 'image/png', data: 'AQID' }],
    });
    respond(200, 'application/pdf', Buffer.from('%PDF'));
    expect(await call({})).toMatchObject({ content: [{ type: 'document', media_type: 'application/pdf' }] });
  });

  it.each([
    ['application/zip', Buffer.from([0x50, 0x4b, 0, 0xff])],
    [null, Buffer.from([0xff, 0xfe, 0, 0xff])],
  ])('of another binary type (%s) is an error that says so', async (type, body) => {
    respond(200, type, body);
    expect(await call({})).toMatchObject({ status: 'error', content: expect.stringContaining('4 bytes') });
  });

  it('without content says so', async () => {
    respond(204, null, '');
    expect(await call({ method: 'DELETE' })).toEqual({ status: 'ok', content: '(HTTP 204, no content)' });
  });

  it('over 1 MiB fails with advice and is not read to its end', async () => {
    let closed = false;
    target.answer = (_, response) => {
      response.on('close', () => (closed = true));
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    expect(await call({})).toMatchObject({
      status: 'error',
      content: expect.stringMatching(/more than 1048576 bytes.*Ask for less/),
    });
    while (!closed) await new Promise((resolve) => setImmediate(resolve));
  });

  it.each([
    [404, false],
    [409, false],
    [429, true],
    [500, true],
    [503, true],
  ])('with status %i is an error (retryable: %s) with the start of its body', async (status, retryable) => {
    respond(status, 'text/plain', 'y'.repeat(5_000));
    const outcome = await call({});
    expect(outcome).toMatchObject({
      status: 'error',
      retryable,
      content: expect.stringMatching(new RegExp(`^Error: HTTP ${status} .*5000 characters in all`)),
    });
  });

  it('that does not come in time is an error, and the socket is closed', async () => {
    const closed = new Promise((resolve) => (target.answer = (_, response) => void response.on('close', resolve)));
    expect(await call({ timeoutMs: 100 })).toMatchObject({
      status: 'error',
      retryable: true,
      content: expect.stringContaining('within 0.1 s'),
    });
    await closed;
  });

  it('is not waited for when the run is cancelled', async () => {
    const abort = new AbortController();
    target.answer = () => abort.abort();
    expect(await call({}, { signal: abort.signal })).toMatchObject({ status: 'cancelled' });
  });
});

describe('a connection that breaks before the answer', () => {
  /** The first connections are closed as idle ones are that were kept too long. */
  const breakFirst = (count: number): void => {
    target.answer = (_, response) =>
      target.seen.length <= count ? response.socket?.destroy() : void response.end('done');
  };

  it.each(['idempotent_with_key', 'idempotent', 'read_only'] as const)(
    'is made anew for a call that is %s, with the same key',
    async (effect) => {
      breakFirst(1);
      const outcome = await call({ method: 'POST', effect }, { key: 'k-1' });
      expect(outcome).toEqual({ status: 'ok', content: 'done' });
      expect(target.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-1']);
    },
  );

  it('is an error after the second time', async () => {
    breakFirst(2);
    expect(await call({})).toMatchObject({
      status: 'error',
      retryable: true,
      content: expect.stringContaining('broke before it answered'),
    });
    expect(target.seen).toHaveLength(2);
  });

  it('is an error at once where a second call might do things twice, and says that the first may have done them', async () => {
    breakFirst(1);
    expect(await call({ method: 'POST' })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('may have taken effect'),
      mayHaveTakenEffect: true,
    });
    expect(target.seen).toHaveLength(1);
  });

  it('is told as what it is where the answer had begun', async () => {
    target.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.socket?.destroy());
    };
    expect(await call({ method: 'POST' })).toEqual({
      status: 'error',
      retryable: true,
      mayHaveTakenEffect: true,
      content: expect.stringMatching(/the answer \(HTTP 200\) broke off/),
    });
  });
});
