import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { JsonObject, ToolDefinition } from '#libs/domain';
import type { ToolOutcome, Tools } from '#libs/engine';
import type { SecretSettings } from '#libs/platform';
import { celExpressions } from '../../../expressions/src/index.js';
import { createTools } from '../create-tools.js';

type HttpDefinition = Extract<ToolDefinition, { kind: 'http' }>;
type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

let server: Server;
let port: number;
let seen: Seen[] = [];
let answer: (request: Seen, response: ServerResponse) => void;
const last = (): Seen => seen.at(-1) ?? { method: 'none', url: '', headers: {}, body: '' };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: await readText(request) });
    answer(last(), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  seen = [];
  answer = (_, response) => response.end('fine');
});

const KEY = 'tok-SECRET/9+9=';
const secret = (name: string, hosts: string[], value: string | null = KEY): [string, SecretSettings] => [name, { name, value, source: 'the environment variable X', hosts }];

/** Every name that is not allowed at a private address resolves to this server's. */
function toolsFor(options: { allowed?: string[]; readable?: string[] } = {}): Tools {
  return createTools({
    expressions: celExpressions(),
    secrets: new Map([secret('api', ['api.test']), secret('wide', ['*.test']), secret('unset', ['api.test'], null)]),
    http: { allowedHosts: options.allowed ?? ['*.test', '127.0.0.1'], httpRequestHosts: options.readable ?? [] },
    resolveHost: async () => [{ address: '127.0.0.1', family: 4 }],
  });
}

function definition(given: Partial<HttpDefinition>): HttpDefinition {
  return {
    name: 'tool', kind: 'http', description: 'A tool.', effect: null, timeoutMs: null, requiresApproval: false, primaryArgument: null, onUnknownOutcome: 'fail',
    method: 'GET', url: `http://127.0.0.1:${port}/`, query: new Map(), headers: new Map(), body: null,
    parameters: { type: 'object', properties: { q: {}, id: {}, tags: {}, limit: {} } },
    ...given,
  };
}

type Given = { args?: JsonObject; tools?: Tools; key?: string | null; signal?: AbortSignal };

async function call(given: Partial<HttpDefinition>, { args = {}, tools = toolsFor(), key = null, signal }: Given = {}): Promise<ToolOutcome> {
  const full = definition(given);
  const resolution = tools.resolve('tool', full);
  if (!resolution.ok) return { status: 'error', content: resolution.detail, retryable: false };
  return tools.invoke({
    tool: resolution.tool, definition: full, args, idempotencyKey: key,
    position: { projectId: 'p', streamId: 's', runId: 'r', stepId: 'a', item: null, callNo: 1, try: 1, ordinal: 0 },
    variables: { inputs: { region: 'eu', base: `http://127.0.0.1:${port}` }, run: { id: 'run_1' } },
    signal: signal ?? new AbortController().signal,
    memory: { read: async () => ({}), write: async () => undefined, delete: async () => false },
    readResult: async () => null,
  });
}

/** Allowed hosts are resolved by the system, which knows no *.test: what is to be reached is addressed as 127.0.0.1. */
const local = (path: string): string => `http://127.0.0.1:${port}${path}`;

describe('a request', () => {
  it('writes values so that each stays one segment, one parameter, one JSON value', async () => {
    const nasty = 'a/b?c=d&e=f#g "é\u{1F600}';
    await call(
      { method: 'POST', url: local('/items/${args.id}?via=${args.q}'), query: new Map<string, string>([['q', '${args.q}'], ['tags', '${args.tags}'], ['limit', '${args.limit}']]), body: { query: '${args.q}', count: '${args.limit}', note: 'for ${args.q}' } },
      { args: { id: nasty, q: nasty, tags: ['x', 'y z'] } },
    );
    const url = new URL(last().url, 'http://host');
    expect(decodeURIComponent(url.pathname)).toBe(`/items/${nasty}`);
    expect(url.pathname.split('/')).toHaveLength(3);
    expect(url.searchParams.getAll('q')).toEqual([nasty]);
    expect(url.searchParams.get('via')).toBe(nasty);
    expect(url.searchParams.getAll('tags')).toEqual(['x', 'y z']);
    expect(url.searchParams.has('limit')).toBe(false);
    expect(JSON.parse(last().body)).toEqual({ query: nasty, count: null, note: `for ${nasty}` });
    expect(last().headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'weir' });
  });

  it('never expands a value again', async () => {
    await call({ query: new Map([['q', '${args.q}']]) }, { args: { q: '${secrets.api}' } });
    expect(new URL(last().url, 'http://h').searchParams.get('q')).toBe('${secrets.api}');
  });

  it('writes values inside JSON and form texts for the place they stand in', async () => {
    await call({ method: 'POST', headers: new Map([['Content-Type', 'application/json']]), body: '{"q": "${args.q}"}' }, { args: { q: 'say "hi"\n' } });
    expect(JSON.parse(last().body)).toEqual({ q: 'say "hi"\n' });
    await call({ method: 'POST', headers: new Map([['content-type', 'application/x-www-form-urlencoded']]), body: { q: '${args.q}', gone: null } }, { args: { q: 'a&b=c' } });
    expect(last().body).toBe('q=a%26b%3Dc');
  });

  it('takes a base address from an input and a label of the host from an argument', async () => {
    expect(await call({ url: '${inputs.base}/v1/${args.q}' }, { args: { q: 'x' } })).toMatchObject({ status: 'ok' });
    expect(last().url).toBe('/v1/x');
    const outcome = await call({ url: 'https://${args.q}.example.com/' }, { args: { q: 'evil.org/' } });
    expect(outcome).toMatchObject({ status: 'error', content: expect.stringContaining('letters, digits, dots and hyphens') });
  });

  it.each([['..'], ['.'], ['%2e%2E']])('refuses %s as a segment of its path', async (id) => {
    const template = id.startsWith('%') ? local(`/files/${id}/x`) : local('/files/${args.id}/x');
    expect(await call({ url: template }, { args: { id } })).toMatchObject({ status: 'error', content: expect.stringContaining('segments') });
    expect(seen).toHaveLength(0);
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
    expect(await call(given, { args })).toMatchObject({ status: 'error', content: expect.stringContaining(expected) });
    expect(seen).toHaveLength(0);
  });

  it('carries the idempotency key', async () => {
    await call({ method: 'POST' }, { key: 'run_1/a/1' });
    expect(last().headers['idempotency-key']).toBe('run_1/a/1');
  });
});

describe('an answer', () => {
  const respond = (status: number, type: string | null, body: string | Buffer): void => {
    answer = (_, response) => {
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

  it('that is an image or a PDF is a part', async () => {
    respond(200, 'image/png', Buffer.from([1, 2, 3]));
    expect(await call({})).toEqual({ status: 'ok', content: [{ type: 'image', media_type: 'image/png', data: 'AQID' }] });
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
    answer = (_, response) => {
      response.on('close', () => (closed = true));
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    expect(await call({})).toMatchObject({ status: 'error', content: expect.stringMatching(/more than 1048576 bytes.*Ask for less/) });
    while (!closed) await new Promise((resolve) => setImmediate(resolve));
  });

  it.each([[404, false], [409, false], [429, true], [500, true], [503, true]])('with status %i is an error (retryable: %s) with the start of its body', async (status, retryable) => {
    respond(status, 'text/plain', 'y'.repeat(5_000));
    const outcome = await call({});
    expect(outcome).toMatchObject({ status: 'error', retryable, content: expect.stringMatching(new RegExp(`^Error: HTTP ${status} .*5000 characters in all`)) });
  });

  it('that does not come in time is an error, and the socket is closed', async () => {
    const closed = new Promise((resolve) => (answer = (_, response) => response.on('close', resolve)));
    expect(await call({ timeoutMs: 100 })).toMatchObject({ status: 'error', retryable: true, content: expect.stringContaining('within 0.1 s') });
    await closed;
  });

  it('is not waited for when the run is cancelled', async () => {
    const abort = new AbortController();
    answer = () => abort.abort();
    expect(await call({}, { signal: abort.signal })).toMatchObject({ status: 'cancelled' });
  });
});

describe('addresses', () => {
  it.each(['127.0.0.1', '[::1]', '2130706433', '0x7f.1', '169.254.169.254', 'metadata.test', '10.0.0.1'])('%s is refused unless the operator allows it', async (host) => {
    expect(await call({ url: `http://${host}:${port}/` }, { tools: toolsFor({ allowed: [] }) })).toMatchObject({ status: 'error', content: expect.stringContaining('private') });
    expect(seen).toHaveLength(0);
  });

  it('behind a redirect are checked too', async () => {
    answer = (_, response) => response.writeHead(302, { location: `http://metadata.test:${port}/latest` }).end();
    expect(await call({}, { tools: toolsFor({ allowed: ['127.0.0.1'] }) })).toMatchObject({ status: 'error', content: expect.stringContaining('metadata.test is a private') });
    expect(seen).toHaveLength(1);
  });

  it('behind redirects are followed for GET, five times', async () => {
    answer = ({ url }, response) => (url === '/end' ? response.end('there') : response.writeHead(302, { location: '/end' }).end());
    expect(await call({ url: local('/start') })).toEqual({ status: 'ok', content: 'there' });
    answer = (_, response) => response.writeHead(302, { location: '/again' }).end();
    expect(await call({})).toMatchObject({ status: 'error', content: expect.stringContaining('more than 5 times') });
  });

  it.each([['file:///etc/passwd', 'only http'], ['http://user:pw@127.0.0.1/', 'user and password']])('behind a redirect to %s are refused', async (location, expected) => {
    answer = (_, response) => response.writeHead(302, { location }).end();
    expect(await call({})).toMatchObject({ status: 'error', content: expect.stringContaining(expected) });
  });

  it('behind a redirect of a POST are not asked, but 303 is read', async () => {
    answer = (_, response) => response.writeHead(307, { location: '/end' }).end();
    expect(await call({ method: 'POST' })).toMatchObject({ status: 'error', content: expect.stringContaining('not followed') });
    answer = ({ url }, response) => (url === '/end' ? response.end('made') : response.writeHead(303, { location: '/end' }).end());
    expect(await call({ method: 'POST', body: { a: 1 } })).toEqual({ status: 'ok', content: 'made' });
    expect(last()).toMatchObject({ method: 'GET', body: '' });
  });

  it('that do not answer are a retryable error', async () => {
    expect(await call({ url: 'http://127.0.0.1:1/' })).toMatchObject({ status: 'error', retryable: true });
  });
});

describe('secrets', () => {
  const bearer = { headers: new Map([['Authorization', 'Bearer ${secrets.here}']]) };
  const withSecret = (hosts: string[], allowed = ['127.0.0.1', 'localhost']): Tools =>
    createTools({ expressions: celExpressions(), secrets: new Map([secret('here', hosts), secret('unset', hosts, null)]), http: { allowedHosts: allowed, httpRequestHosts: [] } });

  it('go to the host they are bound to', async () => {
    expect(await call(bearer, { tools: withSecret(['127.0.0.1']) })).toMatchObject({ status: 'ok' });
    expect(last().headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('go nowhere else', async () => {
    expect(await call(bearer, { tools: withSecret(['api.example.com']) })).toMatchObject({ status: 'error', content: expect.stringContaining('secret here is not bound to 127.0.0.1') });
    expect(seen).toHaveLength(0);
  });

  it('do not follow a redirect to another host', async () => {
    answer = (_, response) => response.writeHead(302, { location: `http://localhost:${port}/steal` }).end();
    expect(await call(bearer, { tools: withSecret(['127.0.0.1']) })).toMatchObject({ status: 'error', content: expect.stringContaining('not bound to localhost') });
    expect(seen).toHaveLength(1);
  });

  it('are taken out of what comes back, in every form', async () => {
    answer = (_, response) => response.end([KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString('base64'), JSON.stringify(KEY)].join(' '));
    const outcome = await call(bearer, { tools: withSecret(['127.0.0.1']) });
    expect(outcome).toEqual({ status: 'ok', content: '[secret here] [secret here] [secret here] "[secret here]"' });
    answer = (_, response) => response.writeHead(401).end(`bad token ${KEY}`);
    expect(await call(bearer, { tools: withSecret(['127.0.0.1']) })).toMatchObject({ status: 'error', content: expect.stringContaining('bad token [secret here]') });
  });

  it('need https where the operator has not allowed the host', async () => {
    const tools = createTools({ expressions: celExpressions(), secrets: new Map([secret('here', ['api.test'])]), http: { allowedHosts: [], httpRequestHosts: [] } });
    expect(await call({ ...bearer, url: 'http://api.test/' }, { tools })).toMatchObject({ status: 'error', content: expect.stringContaining('over https only') });
  });

  it.each([
    ['${secrets.nobody}', 'there is no secret nobody'],
    ['${secrets.unset}', 'the environment variable X'],
    ['${secrets[args.q]}', 'read by name'],
    ['${string(secrets)}', 'read by name'],
  ])('that cannot be used (%s) are a fault of the definition', async (template, expected) => {
    const outcome = await call({ headers: new Map([['x-key', template]]) }, { tools: withSecret(['127.0.0.1']), args: { q: 'here' } });
    expect(outcome).toMatchObject({ status: 'error', content: expect.stringContaining(expected) });
    expect(seen).toHaveLength(0);
  });
});

describe('what a definition resolves to', () => {
  const resolved = (given: Partial<HttpDefinition>): unknown => toolsFor().resolve('tool', definition(given));

  it('defaults its effect by method', () => {
    expect(resolved({ method: 'HEAD' })).toMatchObject({ tool: { effect: 'read_only' } });
    expect(resolved({ method: 'POST' })).toMatchObject({ tool: { effect: 'non_idempotent' } });
    expect(resolved({ method: 'POST', effect: 'idempotent_with_key', timeoutMs: 5, primaryArgument: 'q' })).toMatchObject({ tool: { effect: 'idempotent_with_key', timeoutMs: 5, primaryArgument: 'q' } });
  });

  it('takes any object without a schema and refuses a broken one', () => {
    expect(resolved({ parameters: null })).toMatchObject({ tool: { declaration: { parameters: { type: 'object' } } } });
    expect(resolved({ parameters: { type: 'object', properties: { a: { $ref: 'https://evil.test/x.json' } } } })).toMatchObject({ ok: false });
  });
});

describe('http_request', () => {
  it('exists only with a list of hosts, and reads only those, also behind redirects', async () => {
    expect(toolsFor().resolve('http_request', null)).toMatchObject({ ok: false });
    const tools = toolsFor({ readable: ['127.0.0.1'] });
    const resolution = tools.resolve('http_request', null);
    if (!resolution.ok) throw new Error(resolution.detail);
    const read = (url: string): Promise<ToolOutcome> =>
      tools.invoke({
        tool: resolution.tool, definition: null, args: { url }, idempotencyKey: null,
        position: { projectId: 'p', streamId: 's', runId: 'r', stepId: 'a', item: null, callNo: 1, try: 1, ordinal: 0 },
        variables: {}, signal: new AbortController().signal,
        memory: { read: async () => ({}), write: async () => undefined, delete: async () => false }, readResult: async () => null,
      });
    expect(await read(local('/page'))).toEqual({ status: 'ok', content: 'fine' });
    expect(await read('https://example.com/')).toMatchObject({ status: 'error', content: expect.stringContaining('not one of the hosts') });
    answer = (_, response) => response.writeHead(302, { location: `http://localhost:${port}/` }).end();
    expect(await read(local('/page'))).toMatchObject({ status: 'error', content: expect.stringContaining('localhost') });
  });
});
