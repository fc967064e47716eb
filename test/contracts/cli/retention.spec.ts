import { Registry } from 'prom-client';
import { startRetention } from '../../../apps/runtime/src/retention.js';
import { waitFor } from '../../support/index.js';
import { chatPipeline, startTestApi, type TestApi } from '../api/test-api.js';
import { runWeir } from './run-weir.js';

let api: TestApi;
let databaseUrl: string;
const before = process.env['DATABASE_URL'];

beforeAll(async () => {
  api = await startTestApi({ databaseUrl: (url) => Promise.resolve((databaseUrl = url)) });
  process.env['DATABASE_URL'] = databaseUrl;
  api.scripts.set('chat', { replies: [{ text: 'an answer' }], after_last: 'repeat' });
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(async () => {
  if (before === undefined) delete process.env['DATABASE_URL'];
  else process.env['DATABASE_URL'] = before;
  await api.close();
});

async function run(stream: string): Promise<string> {
  const body = { inputs: { message: `PLANT ${stream}` }, stream_id: stream };
  const started = await api.ask('/v1/pipelines/chat/runs', { method: 'POST', body });
  await api.work();
  return started.body.id;
}
const age = (runId: string, days: number) =>
  api.database.run(
    (sql) => sql`update run set ended_at = ended_at - ${days}::int * interval '1 day' where run_id = ${runId}`,
  );
const retention = (...argv: string[]) =>
  runWeir({ url: api.url, key: api.token }, 'retention', '--older-than', '90d', '--json', ...argv);
const inputsOf = async (runId: string): Promise<unknown> => (await api.ask(`/v1/runs/${runId}`)).body.inputs;

describe('weir retention', () => {
  it('erases old runs of streams that are over, and leaves a conversation that goes on whole', async () => {
    const [old, oldOfTalk, newOfTalk, recent] = [
      await run('over'),
      await run('talk'),
      await run('talk'),
      await run('new'),
    ];
    await age(old, 91);
    await age(oldOfTalk, 91);
    await age(recent, 89);
    const listed = await retention('--dry-run');
    expect(listed.lines).toMatchObject([
      { event: 'expired', run_id: old, stream_id: 'over', pipeline: 'chat' },
      { event: 'done', runs: 1, dry_run: true },
    ]);
    expect(await inputsOf(old)).not.toEqual({});
    expect((await retention()).lines).toMatchObject([
      { event: 'erased', run_id: old },
      { event: 'done', runs: 1 },
    ]);
    expect(await inputsOf(old)).toEqual({});
    for (const kept of [oldOfTalk, newOfTalk, recent]) expect(await inputsOf(kept)).not.toEqual({});
    expect((await retention()).lines).toMatchObject([{ event: 'done', runs: 0 }]);
    const verified = await api.ask('/v1/admin/streams/over/verify', { method: 'POST' });
    expect(verified.body).toMatchObject({ ok: true, faults: [] });
    const told = await runWeir({ url: api.url, key: api.token }, 'verify', 'over');
    expect(told.out).toMatch(/^over {2}ok {2}\d+ events \(\d+ erased\) in 2 logs/);
  });

  it('refuses an age that is none', async () => {
    expect(await runWeir({ url: api.url, key: api.token }, 'retention', '--older-than', 'soon')).toMatchObject({
      code: 2,
    });
  });
});

it('a worker erases them by itself where WEIR_RETENTION_DAYS says so', async () => {
  const old = await run('left');
  await age(old, 91);
  const registry = new Registry();
  expect(startRetention(api, registry, null)).toBeNull();
  const loop = startRetention(api, registry, 90 * 86_400_000);
  await waitFor(async () => JSON.stringify(await inputsOf(old)) === '{}');
  await waitFor(async () => (await registry.metrics()).includes('weir_retention_erased_runs_total 1'));
  await loop?.stop(5000);
});
