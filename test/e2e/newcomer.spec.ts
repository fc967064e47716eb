/**
 * A newcomer's path, from the guide alone: an endpoint, a tool and an MCP server of one's own, a pipeline over them, a
 * conversation that began elsewhere, and a run that goes on with it. Everything by `weir`, as a user types it.
 */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startChatCompletions, type ChatRequest } from '../support/chat-completions-server.js';
import { createDataDir, startUp, type ReadyLine, type WeirUp } from '../support/index.js';

const KEY = 'key-of-the-newcomer';
const fixtures = fileURLToPath(new URL('../fixtures/newcomer/', import.meta.url));
const launcher = fileURLToPath(new URL('../../apps/cli/bin/weir.mjs', import.meta.url));
const folder = createDataDir();
let model: Awaited<ReturnType<typeof startChatCompletions>>;
let orders: Server;
let up: WeirUp;
let ready: ReadyLine;

/** Asks both tools, then answers from what they said. */
function clerk({ messages }: ChatRequest) {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const results = since.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  if (results.length > 0) return { content: `I found: ${results.join(' / ')}` };
  return {
    calls: [
      { name: 'order_status', arguments: { id: 'A&7' } },
      { name: 'read_note', arguments: { name: 'fragile' } },
    ],
  };
}

async function weir(...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', WEIR_URL: ready.url, WEIR_API_KEY: ready.api_key };
  try {
    return (await promisify(execFile)(process.execPath, [launcher, ...args], { cwd: folder.path, env })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`weir ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}

beforeAll(async () => {
  model = await startChatCompletions(KEY, clerk);
  orders = createServer((request, response) => {
    const id = new URL(request.url ?? '/', 'http://orders').searchParams.get('id');
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ order: id, status: 'packed' }));
  });
  await new Promise<void>((resolve) => void orders.listen(0, '127.0.0.1', resolve));
  const ordersHost = `127.0.0.1:${(orders.address() as AddressInfo).port}`;
  const operator = {
    connections: {
      own: { provider: 'openai', base_url: model.url, api_key: { env: 'OWN_KEY' }, allow_private_addresses: true },
    },
    models: { 'own:tiny-1': { window_tokens: 32_768 } },
    http: { allowed_hosts: [ordersHost] },
    mcp_servers: { notes: { command: process.execPath, args: [join(fixtures, 'notes-server.mjs')] } },
  };
  // YAML takes JSON.
  writeFileSync(join(folder.path, 'weir.yml'), JSON.stringify(operator));
  const pipeline = readFileSync(join(fixtures, 'warehouse.yml'), 'utf8').replace('ORDERS_URL', `http://${ordersHost}`);
  writeFileSync(join(folder.path, 'warehouse.yml'), pipeline);
  up = startUp(folder.path, ['--no-demo'], { WEIR_CONFIG: join(folder.path, 'weir.yml'), OWN_KEY: KEY });
  ready = await up.ready();
}, 240_000);

afterAll(async () => {
  up.kill('SIGTERM');
  await up.exited;
  await model.close();
  orders.closeAllConnections();
  await new Promise((resolve) => orders.close(resolve));
  folder.remove();
}, 60_000);

it('goes on with a conversation that began elsewhere, over the newcomer’s own model and tools', async () => {
  expect(await weir('apply', '-f', 'warehouse.yml')).toContain('warehouse@1');
  const earlier = [
    { role: 'user', content: 'My order is A&7.' },
    { role: 'assistant', content: 'Thank you, I will remember A&7.' },
  ];
  writeFileSync(join(folder.path, 'earlier.json'), JSON.stringify(earlier));
  expect(await weir('import', 'earlier.json', '--stream-id', 'customer-1', '--step', 'answer')).toContain('imported');
  const lines = await weir('run', 'warehouse', '-i', 'question=Where is it?', '--stream-id', 'customer-1', '--watch');
  expect(lines).toContain('I found: ');
  const [first, second] = model.requests;
  expect(first?.messages.map(({ role, content }) => [role, content])).toEqual([
    ['system', 'You answer for the warehouse.'],
    ['user', 'My order is A&7.'],
    ['assistant', 'Thank you, I will remember A&7.'],
    ['user', 'Where is it?'],
  ]);
  const results = second?.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  expect(results).toHaveLength(2);
  expect(results?.[0]).toContain('"order":"A&7"');
  expect(results?.[1]).toContain('Wrap it twice.');
  const [run = { id: '' }] = (await weir('runs', '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; status: string });
  expect(run).toMatchObject({ status: 'succeeded' });
  expect(await weir('context', run.id, 'answer', '2', '--why')).toContain('rebuilt equal');
}, 120_000);
