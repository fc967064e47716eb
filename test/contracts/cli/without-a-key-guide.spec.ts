import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { runWeir } from './run-weir.js';

/** docs/guide/without-a-key.md: its files, played as it says. */
let api: TestApi;
const weir = (...argv: string[]) => runWeir({ url: api.url, key: api.token }, ...argv);
const root = new URL('../../../', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const file = (path: string): string => fileURLToPath(new URL(path, root));

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function run(message: string): Promise<string> {
  const { lines } = await weir('run', 'orders-desk', '-i', `message=${message}`, '--stream-id', 'customer-7', '--json');
  await api.work();
  return lines[0].run_id;
}

it('the guide shows the recording and the agent as they are', () => {
  const guide = text('docs/guide/without-a-key.md');
  expect(guide).toContain(text('pipelines/recordings/orders-desk.json'));
  const [, agent = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(text('pipelines/orders-desk.yml')).toContain(agent);
});

it('its agent calls tools, remembers and asks a person, run after run, until the recording is over', async () => {
  const body = JSON.parse(text('pipelines/recordings/orders-desk.json'));
  await api.ask('/v1/recordings/orders-desk', { method: 'PUT', body });
  await weir('apply', '-f', file('pipelines/order-status.yml'), file('pipelines/orders-desk.yml'));
  const first = await run('Where is order A-7?');
  expect((await weir('show', first)).out).toMatch(/succeeded[\s\S]*output\nA-7 left on Monday\.\n/);
  expect((await weir('context', first, 'answer')).out).toMatch(
    /call 2 .*rebuilt equal[\s\S]*tool .*\{"id":"A-7","status":"sent on Monday"\}\n[\s\S]*tool .*Saved under "order"/,
  );
  const second = await run('Send it back, please.');
  const [asked] = (await weir('approvals', '--run', second, '--json')).lines;
  expect(asked).toMatchObject({ tool: 'send_back', arguments: '{"id": "A-7"}' });
  await weir('approve', asked.id, '--comment', 'fine');
  await api.work();
  expect((await weir('show', second)).out).toMatch(/output\nIt is on its way back\.\n/);
  const third = await run('More?');
  expect((await weir('show', third)).out).toContain('has 2 runs, this is run 3 on its stream');
  expect((await weir('events', 'customer-7')).out).toContain(
    `ApprovalRequested     ${asked.id} May send_back be called?`,
  );
});
