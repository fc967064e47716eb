import { callHttp, SECRET, secret, toolsOf } from '../testing/call-http.js';
import { useHttpTarget } from '../testing/http-target.js';
import type { Tools } from '#libs/engine';
import { toolInvocation } from '../testing/tool-invocation.js';

const target = useHttpTarget();
const call: typeof callHttp = (given, options) =>
  callHttp({ url: target.url('/'), ...given }, { inputs: { base: target.url('') }, ...options });

describe('addresses', () => {
  it.each(['127.0.0.1', '[::1]', '2130706433', '0x7f.1', '169.254.169.254', 'metadata.test', '10.0.0.1'])(
    '%s is refused unless the operator allows it',
    async (host) => {
      expect(
        await call({ url: `http://${host}:${target.port()}/` }, { tools: toolsOf({ allowed: [] }) }),
      ).toMatchObject({
        status: 'error',
        content: expect.stringContaining('private'),
      });
      expect(target.seen).toHaveLength(0);
    },
  );

  it('behind a redirect are checked too', async () => {
    target.answer = (_, response) =>
      response.writeHead(302, { location: `http://metadata.test:${target.port()}/latest` }).end();
    expect(await call({}, { tools: toolsOf({ allowed: ['127.0.0.1'] }) })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('metadata.test is a private'),
    });
    expect(target.seen).toHaveLength(1);
  });

  it('behind redirects are followed for GET, five times', async () => {
    target.answer = ({ url }, response) =>
      url === '/end' ? response.end('there') : response.writeHead(302, { location: '/end' }).end();
    expect(await call({ url: target.url('/start') })).toEqual({ status: 'ok', content: 'there' });
    target.answer = (_, response) => response.writeHead(302, { location: '/again' }).end();
    expect(await call({})).toMatchObject({
      status: 'error',
      content: expect.stringContaining('more than 5 times'),
    });
  });

  it.each([
    ['file:///etc/passwd', 'only http'],
    ['http://user:pw@127.0.0.1/', 'user and password'],
  ])('behind a redirect to %s are refused', async (location, expected) => {
    target.answer = (_, response) => response.writeHead(302, { location }).end();
    expect(await call({})).toMatchObject({ status: 'error', content: expect.stringContaining(expected) });
  });

  it('behind a redirect of a POST are not asked, but 303 is read', async () => {
    target.answer = (_, response) => response.writeHead(307, { location: '/end' }).end();
    expect(await call({ method: 'POST' })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('not followed'),
    });
    target.answer = ({ url }, response) =>
      url === '/end' ? response.end('made') : response.writeHead(303, { location: '/end' }).end();
    expect(await call({ method: 'POST', body: { a: 1 } })).toEqual({ status: 'ok', content: 'made' });
    expect(target.last()).toMatchObject({ method: 'GET', body: '' });
  });

  it('that do not answer are a retryable error', async () => {
    expect(await call({ url: 'http://127.0.0.1:1/' })).toMatchObject({ status: 'error', retryable: true });
  });
});

describe('secrets', () => {
  const bearer = { headers: new Map([['Authorization', 'Bearer ${secrets.here}']]) };
  const withSecret = (hosts: string[]): Tools =>
    toolsOf({ secrets: [secret('here', hosts), secret('unset', hosts, null)] });

  it('go to the host they are bound to', async () => {
    expect(await call(bearer, { tools: withSecret(['127.0.0.1']) })).toMatchObject({ status: 'ok' });
    expect(target.last().headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  it('go nowhere else', async () => {
    expect(await call(bearer, { tools: withSecret(['api.example.com']) })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('secret here is not bound to 127.0.0.1'),
    });
    expect(target.seen).toHaveLength(0);
  });

  it('do not follow a redirect to another host', async () => {
    target.answer = (_, response) =>
      response.writeHead(302, { location: `http://localhost:${target.port()}/steal` }).end();
    expect(await call(bearer, { tools: withSecret(['127.0.0.1']) })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('not bound to localhost'),
    });
    expect(target.seen).toHaveLength(1);
  });

  it('are taken out of what comes back, in every form', async () => {
    target.answer = (_, response) =>
      response.end(
        [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64'), JSON.stringify(SECRET)].join(' '),
      );
    const outcome = await call(bearer, { tools: withSecret(['127.0.0.1']) });
    expect(outcome).toEqual({ status: 'ok', content: '[secret here] [secret here] [secret here] "[secret here]"' });
    for (const before of ['', 'a', 'ab'])
      for (const encoding of ['base64', 'base64url'] as const) {
        target.answer = (_, response) => response.end(Buffer.from(`${before}${SECRET}:more`).toString(encoding));
        const encoded = await call(bearer, { tools: withSecret(['127.0.0.1']) });
        expect(encoded).toMatchObject({ content: expect.stringContaining('[secret here]') });
      }
    target.answer = (_, response) => response.writeHead(401).end(`bad token ${SECRET}`);
    expect(await call(bearer, { tools: withSecret(['127.0.0.1']) })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('bad token [secret here]'),
    });
  });

  it('need https where the operator has not allowed the host', async () => {
    const tools = toolsOf({ allowed: [], secrets: [secret('here', ['api.test'])] });
    expect(await call({ ...bearer, url: 'http://api.test/' }, { tools })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('over https only'),
    });
  });

  it.each([
    ['${secrets.nobody}', 'there is no secret nobody'],
    ['${secrets.unset}', 'the environment variable X'],
    ['${secrets[args.q]}', 'read by name'],
    ['${string(secrets)}', 'read by name'],
  ])('that cannot be used (%s) are a fault of the definition', async (template, expected) => {
    const outcome = await call(
      { headers: new Map([['x-key', template]]) },
      { tools: withSecret(['127.0.0.1']), args: { q: 'here' } },
    );
    expect(outcome).toMatchObject({ status: 'error', content: expect.stringContaining(expected) });
    expect(target.seen).toHaveLength(0);
  });
});

describe('http_request', () => {
  it('exists only with a list of hosts, and reads only those, also behind redirects', async () => {
    expect(toolsOf().resolve('http_request', null)).toMatchObject({ ok: false });
    const tools = toolsOf({ readable: ['127.0.0.1'] });
    const resolution = tools.resolve('http_request', null);
    if (!resolution.ok) throw new Error(resolution.detail);
    const read = (url: string) => tools.invoke(toolInvocation(resolution.tool, { url }));
    expect(await read(target.url('/page'))).toEqual({ status: 'ok', content: 'fine' });
    expect(await read('https://example.com/')).toMatchObject({
      status: 'error',
      content: expect.stringContaining('not one of the hosts'),
    });
    target.answer = (_, response) => response.writeHead(302, { location: `http://localhost:${target.port()}/` }).end();
    expect(await read(target.url('/page'))).toMatchObject({
      status: 'error',
      content: expect.stringContaining('localhost'),
    });
  });
});
