import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { webhookSender } from '../../apps/runtime/src/webhook-sender.js';
import { celExpressions } from '../../libs/expressions/src/index.js';
import { createModels } from '../../libs/models/src/index.js';
import { connection } from '../../libs/models/src/testing/connection.js';
import { modelCall } from '../../libs/models/src/testing/model-call.js';
import { httpDefinition } from '../../libs/tools/src/testing/call-http.js';
import { toolInvocation } from '../../libs/tools/src/testing/tool-invocation.js';
import { createTools, type ClosableTools } from '../../libs/tools/src/index.js';

/**
 * Answers of servers that others named, which unpack into much more than what they send: each reader counts what it has
 * unpacked, and stops.
 */
const MEBIBYTE = 1024 * 1024;
/** One kilobyte of it on the wire is a megabyte. */
const bomb = (mebibytes: number): Buffer => gzipSync(Buffer.alloc(mebibytes * MEBIBYTE, ' '));
let type = 'application/json';
let status = 200;
let body: Buffer = Buffer.alloc(0);
let encoding = 'gzip';

const server = createServer((request, response: ServerResponse) => {
  request.resume();
  response.writeHead(status, { 'content-type': type, 'content-encoding': encoding }).end(body);
});
let url: string;
let tools: ClosableTools;
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/`;
  tools = createTools({
    expressions: celExpressions(),
    http: { allowedHosts: ['127.0.0.1'], httpRequestHosts: [] },
  });
});
afterAll(async () => {
  await tools.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
});
beforeEach(() => {
  type = 'application/json';
  status = 200;
  encoding = 'gzip';
});

async function callTool(): Promise<unknown> {
  const definition = httpDefinition({ name: 't', url });
  const resolution = tools.resolve('t', definition);
  if (!resolution.ok) throw new Error(resolution.detail);
  return tools.invoke(toolInvocation(resolution.tool, {}, { definition }));
}

function askMcp(): Promise<unknown> {
  const { method: _m, query: _q, headers: _h, body: _b, url: _u, ...common } = httpDefinition({ name: 't' });
  const remote = { from: 'url' as const, url, headers: new Map<string, string>() };
  return tools.prepare([{ ...common, kind: 'mcp', remoteName: 't', server: remote }], {});
}

const callModel = (): Promise<unknown> => {
  const settings = connection('c', { provider: 'openai', baseUrl: url });
  return createModels({ connections: new Map([['c', settings]]) }).call(modelCall('c:m'));
};

it('of a tool has at most a mebibyte', async () => {
  body = bomb(64);
  expect(await callTool()).toMatchObject({
    status: 'error',
    content: expect.stringContaining('more than 1048576 bytes, at most 1048576 are allowed'),
  });
  status = 500;
  expect(await callTool()).toMatchObject({ status: 'error', content: expect.stringContaining('more than 1048576') });
});

it('of a tool is packed at most five times', async () => {
  encoding = Array.from({ length: 6 }, () => 'gzip').join(', ');
  expect(await callTool()).toMatchObject({ status: 'error', content: expect.stringContaining('cannot be reached') });
});

it('of an MCP server has at most eight mebibytes, as JSON and as events', async () => {
  body = bomb(64);
  const refused = {
    ok: false,
    detail: expect.stringMatching(/its answer has more than 8388608 bytes|Connection closed/),
  };
  expect(await askMcp()).toEqual(refused);
  type = 'text/event-stream';
  expect(await askMcp()).toEqual(refused);
});

it('of a model has at most 64 mebibytes, and what is kept of an error is little', async () => {
  body = bomb(65);
  expect(await callModel()).toMatchObject({ kind: 'failure' });
  status = 400;
  expect(await callModel()).toMatchObject({ kind: 'failure', class: 'invalid_request' });
});

it('to a webhook is looked at for 500 bytes', async () => {
  body = bomb(64);
  const sender = webhookSender([new URL(url).host]);
  const signal = new AbortController().signal;
  const answer = await sender.post({ url, headers: {}, body: '{}', timeoutMs: 20_000, signal });
  expect(answer).toMatchObject({ kind: 'answered', status: 200, excerpt: ' '.repeat(500) });
  await sender.close();
});
