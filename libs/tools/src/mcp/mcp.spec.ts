import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import type { Json, JsonObject, ToolDefinition } from '#libs/domain';
import type { ToolOutcome } from '#libs/engine';
import { celExpressions } from '../../../expressions/src/index.js';
import { plantedSecret } from '../../../../test/support/planted-secrets.js';
import { waitFor } from '../../../../test/support/wait-for.js';
import { createTools, type ClosableTools } from '../create-tools.js';
import { secret } from '../testing/call-http.js';
import { toolInvocation } from '../testing/tool-invocation.js';

/** The reference server of the protocol's own project, from npm. */
const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const SHOP_TOKEN = plantedSecret('shop');

type McpDefinition = Extract<ToolDefinition, { kind: 'mcp' }>;

function mcp(remoteName: string, server: McpDefinition['server'], given: Partial<McpDefinition> = {}): McpDefinition {
  return {
    ...{
      name: remoteName,
      kind: 'mcp' as const,
      remoteName,
      server,
      description: null,
      parameters: null,
      effect: null,
    },
    ...{ timeoutMs: null, requiresApproval: false, primaryArgument: null, onUnknownOutcome: 'fail' as const },
    ...given,
  };
}

function toolsOf(
  given: { allowed?: string[]; onChange?: (tool: string) => void; now?: () => Date } = {},
): ClosableTools {
  const server = (name: string, args: string[], env: Record<string, string> = {}) =>
    [name, { name, command: process.execPath, args, env, cwd: null }] as const;
  return createTools({
    expressions: celExpressions(),
    secrets: new Map([secret('shop', ['127.0.0.1'], SHOP_TOKEN)]),
    http: { allowedHosts: given.allowed ?? ['127.0.0.1'], httpRequestHosts: [] },
    mcpServers: new Map([
      server('everything', [EVERYTHING], { SHOWN: 'to the server' }),
      server('dies', ['-e', 'console.error("no licence"); process.exit(3)']),
    ]),
    onToolChange: given.onChange,
    now: given.now,
  });
}

const EVERYTHING_SERVER = { from: 'settings', name: 'everything' } as const;

async function call(tools: ClosableTools, definition: McpDefinition, args: JsonObject): Promise<ToolOutcome> {
  const variables = { inputs: {}, run: { id: 'run_1' } };
  const prepared = await tools.prepare([definition], variables);
  if (!prepared.ok) throw new Error(prepared.detail);
  const resolution = tools.resolve(definition.name, definition);
  if (!resolution.ok) throw new Error(resolution.detail);
  return tools.invoke({ ...toolInvocation(resolution.tool, args, { definition }), variables });
}

function textOf(outcome: ToolOutcome): string {
  if (outcome.status === 'ok' && typeof outcome.content === 'string') return outcome.content;
  throw new Error(`expected text, got ${JSON.stringify(outcome)}`);
}

describe('tools of a real MCP server, as a process of the operator', () => {
  let tools: ClosableTools;
  beforeAll(() => (tools = toolsOf()));
  afterAll(() => tools.close());

  it('take what the server says and answer what it answers', async () => {
    const echo = mcp('echo', EVERYTHING_SERVER);
    expect(tools.resolve('echo', echo)).toEqual({ ok: false, detail: expect.stringContaining('not been asked') });
    await expect(call(tools, echo, { message: 'hello' })).resolves.toEqual({ status: 'ok', content: 'Echo: hello' });
    const resolution = tools.resolve('echo', echo);
    expect(resolution).toMatchObject({
      ok: true,
      tool: { declaration: { parameters: { type: 'object', required: ['message'] } } },
    });
    if (resolution.ok) expect(tools.parseArguments(resolution.tool, '{"message":1}')).toMatchObject({ ok: false });
  }, 30_000);

  it('see the environment that the settings name and nothing of this process', async () => {
    process.env['WEIR_TEST_SECRET_OF_PROCESS'] = 'must not be inherited';
    const outcome = await call(tools, mcp('get-env', EVERYTHING_SERVER), {});
    delete process.env['WEIR_TEST_SECRET_OF_PROCESS'];
    const seen = JSON.parse(textOf(outcome)) as JsonObject;
    expect(seen['SHOWN']).toBe('to the server');
    expect(Object.keys(seen).filter((name) => ['HOME', 'PATH', 'USER', 'SHELL'].includes(name))).toEqual([]);
    expect(JSON.stringify(seen)).not.toContain('must not be inherited');
  }, 30_000);

  it('answer images as parts', async () => {
    const outcome = await call(tools, mcp('get-tiny-image', EVERYTHING_SERVER), {});
    expect(outcome).toMatchObject({ status: 'ok' });
    const content = outcome.status === 'ok' ? outcome.content : '';
    expect(content).toContainEqual(expect.objectContaining({ type: 'image', media_type: 'image/png' }));
  }, 30_000);

  it('that the server does not have are refused with those it has', async () => {
    const fly = mcp('fly', EVERYTHING_SERVER);
    await expect(tools.prepare([fly], {})).resolves.toEqual({ ok: true });
    expect(tools.resolve('fly', fly)).toEqual({ ok: false, detail: expect.stringMatching(/no tool fly.*echo/) });
  }, 30_000);

  it('of a server that does not start say why; of one that nobody set, which there are', async () => {
    await expect(tools.prepare([mcp('x', { from: 'settings', name: 'dies' })], {})).resolves.toEqual({
      ok: false,
      detail: expect.stringContaining('no licence'),
    });
    await expect(tools.prepare([mcp('x', { from: 'settings', name: 'other' })], {})).resolves.toEqual({
      ok: false,
      detail: expect.stringContaining('everything, dies'),
    });
  }, 30_000);
});

describe('tools of an MCP server over streamable HTTP', () => {
  let child: ChildProcess;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], { env: { PORT: String(port) }, stdio: 'ignore' });
    url = `http://127.0.0.1:${port}/mcp`;
    await waitFor(
      async () =>
        fetch(url, { method: 'POST' }).then(
          () => true,
          () => false,
        ),
      { timeoutMs: 30_000 },
    );
  }, 40_000);
  afterAll(() => void child.kill('SIGKILL'));

  it('are called through the address guard', async () => {
    const echo = mcp('echo', { from: 'url', url, headers: new Map() });
    const open = toolsOf();
    await expect(call(open, echo, { message: 'over HTTP' })).resolves.toEqual({
      status: 'ok',
      content: 'Echo: over HTTP',
    });
    await open.close();
    const guarded = toolsOf({ allowed: [] });
    await expect(guarded.prepare([echo], {})).resolves.toEqual({
      ok: false,
      detail: expect.stringMatching(/private|not allowed|refused|public/i),
    });
    await guarded.close();
  }, 30_000);
});

describe('an MCP server that changes', () => {
  const schemas: JsonObject[] = [];
  const seen: { authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      seen.push({ authorization: request.headers.authorization });
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = JSON.parse(text) as { id?: Json; method: string; params?: JsonObject };
      if (id === undefined) return void response.writeHead(202).end();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params ?? {}) }));
    });
  });
  const answer = (method: string, params: JsonObject): Json => {
    if (method === 'initialize')
      return {
        protocolVersion: params['protocolVersion'] ?? '',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'changing', version: '1' },
      };
    if (method === 'tools/list') {
      const schema = schemas.length > 1 ? schemas.shift()! : schemas[0]!;
      return { tools: [{ name: 'order', inputSchema: schema, annotations: { readOnlyHint: true } }] };
    }
    return { content: [{ type: 'text', text: `ordered with ${SHOP_TOKEN}` }] };
  };
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

  it('gets secrets that are bound to its host, which never come back', async () => {
    schemas.splice(0, schemas.length, { type: 'object' });
    const tools = toolsOf();
    const headers = new Map([['Authorization', 'Bearer ${secrets.shop}']]);
    const order = mcp('order', { from: 'url', url: address(), headers });
    await expect(call(tools, order, {})).resolves.toEqual({ status: 'ok', content: 'ordered with [secret shop]' });
    expect(seen.every(({ authorization }) => authorization === `Bearer ${SHOP_TOKEN}`)).toBe(true);
    const elsewhere = mcp('order', { from: 'url', url: 'https://example.com/mcp', headers });
    await expect(tools.prepare([elsewhere], {})).resolves.toEqual({
      ok: false,
      detail: expect.stringContaining('not bound to example.com'),
    });
    await tools.close();
  });

  it('is noticed: arguments are checked against what it takes now, and the operator is told', async () => {
    const before = { type: 'object', properties: { sku: { type: 'string' } } };
    const now = { type: 'object', required: ['customer'], properties: { customer: { type: 'string' } } };
    schemas.splice(0, schemas.length, before, now);
    const changed: string[] = [];
    let time = 0;
    const tools = toolsOf({ onChange: (tool) => changed.push(tool), now: () => new Date(time) });
    const order = mcp('order', { from: 'url', url: address(), headers: new Map() });
    await tools.prepare([order], {});
    const resolution = tools.resolve('order', order);
    if (!resolution.ok) throw new Error(resolution.detail);
    expect(resolution.tool).toMatchObject({ effect: 'read_only', declaration: { parameters: before } });
    // A minute later its list is read again.
    time += 61_000;
    const outcome = await tools.invoke(toolInvocation(resolution.tool, { sku: 'a' }, { definition: order }));
    expect(outcome).toMatchObject({ status: 'error', content: expect.stringContaining('takes other arguments now') });
    expect(changed).toEqual(['order']);
    expect(tools.resolve('order', order)).toMatchObject({ tool: { declaration: { parameters: now } } });
    await tools.close();
  });
});

async function freePort(): Promise<number> {
  const listener = createSocket();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
