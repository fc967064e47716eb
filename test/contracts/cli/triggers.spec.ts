import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatPipeline, startTestApi, type TestApi } from '../api/test-api.js';
import { runWeir } from './run-weir.js';

/** Schedules, webhooks and hooks from the command line. */
let api: TestApi;
let folder: string;
const weir = (...argv: string[]) => runWeir({ url: api.url, key: api.token }, ...argv);
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

beforeAll(async () => {
  api = await startTestApi();
  folder = mkdtempSync(join(tmpdir(), 'weir-cli-'));
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

it('weir schedules', async () => {
  expect((await weir('schedules')).out).toContain('no schedules');
  const path = file(
    's.yml',
    "cron: '0 9 * * MON-FRI'\ntimezone: Europe/Berlin\nstart: { pipeline: chat, inputs: { message: '${tick.date}' } }\n",
  );
  expect(await weir('schedules', 'put', 'morning', '-f', path)).toMatchObject({
    code: 0,
    out: expect.stringContaining('morning'),
  });
  expect((await weir('schedules', 'upcoming', 'morning', '--count', '2', '--json')).lines).toHaveLength(2);
  const run = (await weir('schedules', 'run', 'morning', '--json')).lines[0];
  expect(run).toMatchObject({ event: 'started' });
  expect((await weir('schedules', 'ticks', 'morning')).out).toContain(String(run?.['run_id']));
  expect((await weir('schedules', 'pause', 'morning')).out).toContain('paused');
  expect((await weir('schedules', 'resume', 'morning', '--json')).lines).toMatchObject([
    { name: 'morning', paused_at: null },
  ]);
  const bad = await weir('schedules', 'put', 'bad', '-f', file('b.yml', "cron: 'x'\nstart: { pipeline: chat }\n"));
  expect(bad).toMatchObject({ code: 1, err: expect.stringContaining('cron') });
  expect((await weir('schedules', 'delete', 'morning')).code).toBe(0);
  expect((await weir('schedules', 'ticks', 'morning')).code).toBe(1);
});

it('weir webhooks', async () => {
  const [made] = (await weir('webhooks', 'create', 'https://example.com/in', '--event-type', 'RunFailed', '--json'))
    .lines;
  expect(made).toMatchObject({
    event: 'endpoint',
    event_types: ['RunFailed'],
    secret: expect.stringMatching(/^whsec_/),
  });
  const id = String(made?.['id']);
  expect((await weir('webhooks')).out).toContain(id);
  expect((await weir('webhooks')).out).not.toContain('whsec_');
  expect((await weir('webhooks', 'test', id)).code).toBe(0);
  expect((await weir('webhooks', 'deliveries', id, '--status', 'pending')).out).toContain('WebhookTest');
  expect((await weir('webhooks', 'rotate', id)).out).toContain('whsec_');
  expect((await weir('webhooks', 'redeliver', id)).out).toContain('0 on their way again');
  expect((await weir('webhooks', 'disable', id)).out).toContain('disabled');
  expect((await weir('webhooks', 'enable', id)).out).toContain('works');
  expect((await weir('webhooks', 'delete', id)).code).toBe(0);
});

it('weir hooks', async () => {
  const text =
    "verification: { kind: token }\naction: { start: { pipeline: chat, inputs: { message: '${body.text}' } } }\n";
  const [made] = (await weir('hooks', 'put', 'talk', '-f', file('h.yml', text), '--json')).lines;
  const headers = { authorization: `Bearer ${String(made?.['secret'])}` };
  const answer = await api.ask(String(made?.['path']), { method: 'POST', key: null, headers, body: { text: 'hi' } });
  expect(answer).toMatchObject({ status: 202, body: { outcome: 'started' } });
  expect((await weir('hooks')).out).toContain('talk');
  expect((await weir('hooks', 'rotate', 'talk')).out).toContain('secret');
  expect((await weir('hooks', 'delete', 'talk')).code).toBe(0);
  expect((await weir('hooks')).out).toContain('no hooks');
});
