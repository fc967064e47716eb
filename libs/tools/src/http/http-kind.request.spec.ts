import { callHttp, httpDefinition, toolsOf, type HttpDefinition } from '../testing/call-http.js';
import { useHttpTarget } from '../testing/http-target.js';

const target = useHttpTarget();
const call: typeof callHttp = (given, options) =>
  callHttp({ url: target.url('/'), ...given }, { inputs: { base: target.url('') }, ...options });

describe('a request', () => {
  it('writes values so that each stays one segment, one parameter, one JSON value', async () => {
    const nasty = 'a/b?c=d&e=f#g "é\u{1F600}';
    await call(
      {
        method: 'POST',
        url: target.url('/items/${args.id}?via=${args.q}'),
        query: new Map<string, string>([
          ['q', '${args.q}'],
          ['tags', '${args.tags}'],
          ['limit', '${args.limit}'],
        ]),
        body: { query: '${args.q}', count: '${args.limit}', note: 'for ${args.q}' },
      },
      { args: { id: nasty, q: nasty, tags: ['x', 'y z'] } },
    );
    const url = new URL(target.last().url, 'http://host');
    expect(decodeURIComponent(url.pathname)).toBe(`/items/${nasty}`);
    expect(url.pathname.split('/')).toHaveLength(3);
    expect(url.searchParams.getAll('q')).toEqual([nasty]);
    expect(url.searchParams.get('via')).toBe(nasty);
    expect(url.searchParams.getAll('tags')).toEqual(['x', 'y z']);
    expect(url.searchParams.has('limit')).toBe(false);
    expect(JSON.parse(target.last().body)).toEqual({ query: nasty, count: null, note: `for ${nasty}` });
    expect(target.last().headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'weir' });
  });

  it('never expands a value again', async () => {
    await call({ query: new Map([['q', '${args.q}']]) }, { args: { q: '${secrets.api}' } });
    expect(new URL(target.last().url, 'http://h').searchParams.get('q')).toBe('${secrets.api}');
  });

  it('writes values inside JSON and form texts for the place they stand in', async () => {
    await call(
      { method: 'POST', headers: new Map([['Content-Type', 'application/json']]), body: '{"q": "${args.q}"}' },
      { args: { q: 'say "hi"\n' } },
    );
    expect(JSON.parse(target.last().body)).toEqual({ q: 'say "hi"\n' });
    await call(
      {
        method: 'POST',
        headers: new Map([['content-type', 'application/x-www-form-urlencoded']]),
        body: { q: '${args.q}', gone: null },
      },
      { args: { q: 'a&b=c' } },
    );
    expect(target.last().body).toBe('q=a%26b%3Dc');
  });

  it('takes a base address from an input and a label of the host from an argument', async () => {
    expect(await call({ url: '${inputs.base}/v1/${args.q}' }, { args: { q: 'x' } })).toMatchObject({
      status: 'ok',
    });
    expect(target.last().url).toBe('/v1/x');
    const outcome = await call({ url: 'https://${args.q}.example.com/' }, { args: { q: 'evil.org/' } });
    expect(outcome).toMatchObject({
      status: 'error',
      content: expect.stringContaining('letters, digits, dots and hyphens'),
    });
  });

  it.each([['..'], ['.'], ['%2e%2E']])('refuses %s as a segment of its path', async (id) => {
    const template = id.startsWith('%') ? target.url(`/files/${id}/x`) : target.url('/files/${args.id}/x');
    expect(await call({ url: template }, { args: { id } })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('segments'),
    });
    expect(target.seen).toHaveLength(0);
  });

  it.each([
    [{ headers: new Map([['X-A', 'a${args.q}']]) }, { q: 'b\r\nevil: 1' }, 'line breaks'],
    [{ headers: new Map([['Host', 'other']]) }, {}, 'set by the connection'],
    [{ url: 'ftp://example.com/' }, {}, 'only http:// and https://'],
    [{ url: 'https://user:pass@example.com/' }, {}, 'user and password'],
    [{ url: '${args.q}' }, { q: 'file:///etc/passwd' }, 'only http:// and https://'],
    [{ url: '${args.q}' }, { q: 'no address' }, 'not a URL'],
    [{ query: new Map([['q', '${args.nope}']]) }, {}, 'query.q'],
  ])('that cannot be made is explained and never sent: %#', async (given, args, expected) => {
    expect(await call(given, { args })).toMatchObject({
      status: 'error',
      content: expect.stringContaining(expected),
    });
    expect(target.seen).toHaveLength(0);
  });

  it('carries the idempotency key', async () => {
    await call({ method: 'POST' }, { key: 'run_1/a/1' });
    expect(target.last().headers['idempotency-key']).toBe('run_1/a/1');
  });
});

describe('what a definition resolves to', () => {
  const resolved = (given: Partial<HttpDefinition>): unknown => toolsOf().resolve('tool', httpDefinition(given));

  it('defaults its effect by method', () => {
    expect(resolved({ method: 'HEAD' })).toMatchObject({ tool: { effect: 'read_only' } });
    expect(resolved({ method: 'POST' })).toMatchObject({ tool: { effect: 'non_idempotent' } });
    expect(
      resolved({ method: 'POST', effect: 'idempotent_with_key', timeoutMs: 5, primaryArgument: 'q' }),
    ).toMatchObject({ tool: { effect: 'idempotent_with_key', timeoutMs: 5, primaryArgument: 'q' } });
  });

  it('takes any object without a schema and refuses a broken one', () => {
    expect(resolved({ parameters: null })).toMatchObject({ tool: { declaration: { parameters: { type: 'object' } } } });
    expect(
      resolved({ parameters: { type: 'object', properties: { a: { $ref: 'https://evil.test/x.json' } } } }),
    ).toMatchObject({ ok: false });
  });
});
