import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhookSender } from '../../apps/runtime/src/webhook-sender.js';
import type { ToolDefinition } from '../../libs/domain/src/index.js';
import { celExpressions } from '../../libs/expressions/src/index.js';
import { createModels } from '../../libs/models/src/index.js';
import { connection } from '../../libs/models/src/testing/connection.js';
import { modelCall } from '../../libs/models/src/testing/model-call.js';
import { httpDefinition } from '../../libs/tools/src/testing/call-http.js';
import { toolInvocation } from '../../libs/tools/src/testing/tool-invocation.js';
import { createTools, type ClosableTools } from '../../libs/tools/src/index.js';
import { oddAddresses, refusedAddresses, resolveTestHost } from '../support/refused-addresses.js';

/** Everything that asks an address which somebody else named: what it says about one. A new one is a line here. */
type Asker = (url: string) => Promise<string>;

let tools: ClosableTools;
/** On both loopbacks, as something of the operator's would: nobody may get through to it. */
let inside: Server[];
let seen: string[] = [];
let port: number;
/** The one host that the operator allows; it sends everybody on to `location`. */
let allowed: Server;
let location = '';

beforeAll(async () => {
  const first = await listen('127.0.0.1', 0);
  port = (first.address() as AddressInfo).port;
  inside = [first, await listen('::1', port)];
  allowed = createServer((_, response) => response.writeHead(302, { location: ascii(location) }).end());
  await new Promise<void>((resolve) => allowed.listen(0, '127.0.0.1', resolve));
  tools = createTools({
    expressions: celExpressions(),
    http: {
      allowedHosts: [`127.0.0.1:${portOf(allowed)}`],
      httpRequestHosts: ['*.test', `127.0.0.1:${portOf(allowed)}`],
    },
    resolveHost: resolveTestHost,
  });
});
beforeEach(() => (seen = []));
afterAll(async () => {
  await tools.close();
  for (const server of [...inside, allowed]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

function listen(host: string, at: number): Promise<Server> {
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('inside');
  });
  return new Promise((resolve) => server.listen(at, host, () => resolve(server)));
}

/** As headers are: what is not ASCII goes escaped, which addresses take. */
const ascii = (text: string): string => text.replace(/[^\x20-\x7e]/gu, encodeURIComponent);

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function invoke(
  name: string,
  definition: ToolDefinition | null,
  args: { [key: string]: string },
): Promise<string> {
  const prepared = definition === null ? { ok: true as const } : await tools.prepare([definition], {});
  if (!prepared.ok) return prepared.detail;
  const resolution = tools.resolve(name, definition);
  if (!resolution.ok) return resolution.detail;
  const outcome = await tools.invoke(toolInvocation(resolution.tool, args, { definition }));
  return 'content' in outcome && typeof outcome.content === 'string' ? outcome.content : '';
}

const model =
  (provider: 'openai' | 'anthropic' | 'google'): Asker =>
  async (baseUrl) => {
    const settings = connection('c', { provider, baseUrl, allowPrivateAddresses: false });
    const models = createModels({ connections: new Map([['c', settings]]), resolveHost: resolveTestHost });
    const outcome = await models.call(modelCall('c:m', { totalTimeoutMs: 20_000 }));
    return outcome.kind === 'failure' ? outcome.detail : 'answered';
  };

const askers: readonly [string, Asker][] = [
  ['a tool of kind http', (url) => invoke('t', httpDefinition({ name: 't', url }), {})],
  ['a tool of kind http whose address is an argument', (url) => invoke('t', byArgument, { url })],
  [
    'a tool of kind mcp',
    (url) => {
      const { method: _m, query: _q, headers: _h, body: _b, url: _u, ...common } = httpDefinition({ name: 't' });
      const server = { from: 'url' as const, url, headers: new Map<string, string>() };
      return invoke('t', { ...common, kind: 'mcp', remoteName: 't', server }, {});
    },
  ],
  ['a model of OpenAI’s form', model('openai')],
  ['a model of Anthropic’s form', model('anthropic')],
  ['a model of another provider', model('google')],
  ['a webhook', webhook],
];
async function webhook(url: string): Promise<string> {
  const sender = webhookSender([], resolveTestHost);
  const signal = new AbortController().signal;
  const answer = await sender.post({ url, headers: {}, body: '{}', timeoutMs: 20_000, signal });
  await sender.close();
  return answer.kind === 'answered' ? `answered ${answer.status}` : answer.detail;
}

const byArgument = httpDefinition({
  name: 't',
  url: '${args.url}',
  parameters: { type: 'object', properties: { url: {} } },
});

const REFUSED = 'is a private or reserved address';

/** What was said about each address that is not what it should be: `[]` when all are refused. */
type Named = readonly (readonly [name: string, url: (port: number) => string])[];
async function faults(addresses: Named, ask: Asker, expected: RegExp): Promise<string[]> {
  const said = await Promise.all(addresses.map(async ([name, url]) => [name, await ask(url(port))] as const));
  return said.filter(([, text]) => !expected.test(text)).map(([name, text]) => `${name}: ${text}`);
}

describe.each(askers)('%s', (_name, ask) => {
  it(`reaches none of ${refusedAddresses.length} spellings of private addresses`, async () => {
    expect(await faults(refusedAddresses, ask, new RegExp(REFUSED))).toEqual([]);
    expect(seen).toEqual([]);
  });

  it('reaches nothing by a user in the address, a port of another service or another scheme', async () => {
    expect(await faults(oddAddresses, ask, /^(?!inside|answered)./)).toEqual([]);
    expect(seen).toEqual([]);
  });
});

describe('an address that a webhook is registered for', () => {
  const sender = webhookSender(['127.0.0.1:8443'], (hostname) =>
    hostname === 'nobody.test' ? Promise.reject(new Error('ENOTFOUND')) : resolveTestHost(hostname),
  );
  afterAll(() => sender.close());
  const registered = async (url: string): Promise<string> => (await sender.refusal(url)) ?? 'taken';

  it('is refused there already when it is private, over https too', async () => {
    const overTls = refusedAddresses.map(
      ([name, url]) => [name, (at: number) => url(at).replace('http:', 'https:')] as const,
    );
    expect(await faults(overTls, registered, new RegExp(REFUSED))).toEqual([]);
  });

  it('is taken when it is public, the operator’s, or of a name that nobody knows yet', async () => {
    for (const url of ['https://api.public.test/in', 'http://127.0.0.1:8443/in', 'https://nobody.test/in'])
      expect([url, await registered(url)]).toEqual([url, 'taken']);
  });
});

describe('behind a redirect of an allowed host', () => {
  const start = (): string => `http://127.0.0.1:${portOf(allowed)}/`;
  it('nobody reaches any of them', async () => {
    for (const [name, url] of refusedAddresses) {
      location = url(port);
      const said = await invoke('t', httpDefinition({ name: 't', url: start() }), {});
      expect([name, said]).toEqual([name, expect.stringContaining(REFUSED)]);
      const read = await invoke('http_request', null, { url: start() });
      expect([name, read]).toEqual([name, expect.stringMatching(`${REFUSED}|not one of the hosts`)]);
    }
    expect(seen).toEqual([]);
  });

  it('or by a model, an MCP server or a webhook, which follow none', async () => {
    location = `http://127.0.0.1:${port}/`;
    const settings = connection('c', { baseUrl: start() });
    for (const provider of ['openai', 'anthropic'] as const) {
      const models = createModels({ connections: new Map([['c', { ...settings, provider }]]) });
      expect(await models.call(modelCall('c:m'))).toMatchObject({ kind: 'failure', class: 'invalid_request' });
    }
    const { method: _m, query: _q, headers: _h, body: _b, url: _u, ...common } = httpDefinition({ name: 't' });
    const server = { from: 'url' as const, url: start(), headers: new Map<string, string>() };
    expect(await invoke('t', { ...common, kind: 'mcp', remoteName: 't', server }, {})).toContain('cannot be used');
    const sender = webhookSender([`127.0.0.1:${portOf(allowed)}`]);
    const post = { url: start(), headers: {}, body: '{}', timeoutMs: 20_000, signal: new AbortController().signal };
    expect(await sender.post(post)).toMatchObject({ kind: 'answered', status: 302 });
    await sender.close();
    expect(seen).toEqual([]);
  });

  it('or at another port than the allowed one', async () => {
    location = `http://127.0.0.1:${port}/`;
    expect(await invoke('t', httpDefinition({ name: 't', url: start() }), {})).toContain('127.0.0.1 is a private');
    expect(seen).toEqual([]);
  });
});

describe('an address that stands in a conversation', () => {
  it('(of a recording, an import, a result) is handed to the provider and never asked from here', async () => {
    const asked: string[] = [];
    const provider = createServer((request, response) => {
      asked.push(request.url ?? '');
      request.resume();
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const image = { type: 'image' as const, url: `http://127.0.0.1:${port}/picture.png` };
    for (const kind of ['openai', 'anthropic'] as const) {
      const settings = connection('c', { provider: kind, baseUrl: `http://127.0.0.1:${portOf(provider)}` });
      const models = createModels({ connections: new Map([['c', settings]]) });
      await models.call(modelCall('c:m', { request: { messages: [{ role: 'user', content: [image] }] } }));
    }
    expect(asked).toHaveLength(2);
    expect(seen).toEqual([]);
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  });
});
