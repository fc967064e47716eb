import { runDueSchedules } from '../../../libs/engine/src/index.js';
import { startTestApi, type TestApi } from './test-api.js';

/** Schedules as people use them; ticks are made due by moving the stored next one into the past. */
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const put = (body: { name: string; [key: string]: unknown }) =>
    api.ask(`/v1/pipelines/${body.name}`, { method: 'PUT', body });
  const inputs = { day: { type: 'string', required: true } };
  await put({ name: 'quick', inputs, steps: [{ id: 'say', transform: { day: '${inputs.day}' } }] });
  await put({ name: 'asks', inputs, steps: [{ id: 'ask', approval: { prompt: 'Go on?' } }] });
});
afterAll(() => api.close());

const post = (path: string, body?: unknown, headers = {}) =>
  api.ask(path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });

async function schedule(name: string, pipeline: string, more: object = {}) {
  const start = { pipeline, inputs: { day: '${tick.date}' }, tags: ['nightly'] };
  const body = { cron: '0 3 * * *', timezone: 'Europe/Berlin', start, ...more };
  const answer = await api.ask(`/v1/schedules/${name}`, { method: 'PUT', body });
  expect(answer.status).toBe(201);
  return answer.body;
}

const makeDue = (name: string, ago: string) =>
  api.database.sql`
    update schedule set next_at = date_trunc('second', now() - ${ago}::interval) where name = ${name}`;

const ticksOf = async (name: string) => (await api.ask(`/v1/schedules/${name}/ticks`)).body.data;
const sweepAll = (processes: number) =>
  Promise.all(Array.from({ length: processes }, () => runDueSchedules(api.engine)));

it('starts one run for a tick, however many processes look at it, and says which run it was', async () => {
  await schedule('nightly', 'quick');
  await makeDue('nightly', '2 seconds');
  // Who finds the row locked leaves it; the next look finds nothing due.
  await sweepAll(6);
  await sweepAll(6);
  const ticks = await ticksOf('nightly');
  expect(ticks).toMatchObject([{ outcome: 'started', manual: false, detail: null }]);
  await api.work();
  const { body: runs } = await api.ask('/v1/runs?pipeline=quick&tag=nightly');
  expect(runs.data).toMatchObject([{ id: ticks[0].run_id, metadata: { schedule: { name: 'nightly' } } }]);
  const { body: run } = await api.ask(`/v1/runs/${ticks[0].run_id}`);
  expect(run.inputs.day).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(Date.parse(run.metadata.schedule.tick_at)).toBe(Date.parse(ticks[0].at));
  const { body: after } = await api.ask('/v1/schedules/nightly');
  expect(Date.parse(after.next_at)).toBeGreaterThan(Date.now());
});

it('passes ticks over while a run goes on, or cancels it, or lets the tick wait', async () => {
  const outcomes: { [overlap: string]: string[] } = {};
  const statuses: { [overlap: string]: string[] } = {};
  for (const overlap of ['skip', 'cancel', 'queue', 'allow']) {
    await schedule(overlap, 'asks', { overlap });
    for (const ago of ['3 seconds', '1 second']) {
      await makeDue(overlap, ago);
      await runDueSchedules(api.engine);
      await api.work();
    }
    const ticks = (await ticksOf(overlap)).toReversed();
    outcomes[overlap] = ticks.map((tick: any) => tick.outcome);
    const runs = ticks.flatMap((tick: any) => (tick.run_id === null ? [] : [tick.run_id]));
    statuses[overlap] = await Promise.all(
      runs.map(async (run: string) => (await api.ask(`/v1/runs/${run}`)).body.status),
    );
  }
  expect(outcomes).toEqual({
    skip: ['started', 'skipped'],
    cancel: ['started', 'started'],
    queue: ['started'],
    allow: ['started', 'started'],
  });
  expect(statuses).toMatchObject({ cancel: ['cancelled', 'waiting'], allow: ['waiting', 'waiting'] });
  // The tick that waits starts when the run has ended.
  const [{ run_id: first }] = await ticksOf('queue');
  await post(`/v1/runs/${first}/cancel`);
  await api.work();
  await runDueSchedules(api.engine);
  expect((await ticksOf('queue')).map((tick: any) => tick.outcome)).toEqual(['started', 'started']);
});

/** Ticks that are a quarter of an hour away, so that none comes while a test runs. `minute`: the first of an hour. */
function everyHalfHour(): { minute: number; cron: string } {
  const minute = (new Date().getUTCMinutes() + 15) % 30;
  return { minute, cron: `${minute},${minute + 30} * * * *` };
}

it.each([
  ['skip', [['missed', 48]]],
  [
    'latest',
    [
      ['started', 1],
      ['missed', 47],
    ],
  ],
])('catches up as it is told after a day without any process: %s', async (catchUp, expected) => {
  const name = `late-${catchUp}`;
  const { minute, cron } = everyHalfHour();
  await schedule(name, 'quick', { cron, catch_up: catchUp });
  const half = 30 * 60_000;
  const offset = minute * 60_000;
  const latest = Math.floor((Date.now() - offset) / half) * half + offset;
  const next = new Date(latest - 47 * half).toISOString();
  await api.database
    .sql`update schedule set next_at = ${next}::timestamptz, catch_up_window_ms = 172800000 where name = ${name}`;
  await runDueSchedules(api.engine);
  await runDueSchedules(api.engine);
  const due = (await ticksOf(name)).filter((tick: any) => Date.parse(tick.at) <= latest);
  expect(due.map((tick: any) => [tick.outcome, tick.ticks])).toEqual(expected);
});

it('records a tick that cannot start anything, and goes on', async () => {
  await schedule('broken', 'quick', { start: { pipeline: 'quick', inputs: {} } });
  await makeDue('broken', '1 second');
  await runDueSchedules(api.engine);
  expect(await ticksOf('broken')).toMatchObject([
    { outcome: 'failed', run_id: null, detail: expect.stringContaining('day') },
  ]);
  const { body } = await api.ask('/v1/schedules/broken');
  expect(Date.parse(body.next_at)).toBeGreaterThan(Date.now());
});

it('pauses, resumes with the next tick from now, runs at once, shows what is to come', async () => {
  await schedule('paused', 'quick');
  expect((await post('/v1/schedules/paused/pause')).body.paused_at).not.toBeNull();
  await makeDue('paused', '1 hour');
  await runDueSchedules(api.engine);
  expect(await ticksOf('paused')).toEqual([]);
  const once = { 'idempotency-key': 'now' };
  const first = await post('/v1/schedules/paused/run', undefined, once);
  expect(first.status).toBe(202);
  expect((await post('/v1/schedules/paused/run', undefined, once)).body).toEqual(first.body);
  expect(await ticksOf('paused')).toMatchObject([{ manual: true, run_id: first.body.run_id }]);
  const resumed = await post('/v1/schedules/paused/resume');
  expect(resumed.body.paused_at).toBeNull();
  const { body: upcoming } = await api.ask('/v1/schedules/paused/upcoming?count=3');
  expect(upcoming.data).toHaveLength(3);
  expect(Date.parse(resumed.body.next_at)).toBe(Date.parse(upcoming.data[0]));
  expect((await api.ask('/v1/schedules/paused', { method: 'DELETE' })).status).toBe(204);
  expect((await post('/v1/schedules/paused/run')).status).toBe(404);
});

it('takes another interval at once: its next tick is that of the new one (E4)', async () => {
  await schedule('changed', 'quick');
  const put = (cron: string) =>
    api.ask('/v1/schedules/changed', { method: 'PUT', body: { cron, start: { pipeline: 'quick' } } });
  const yearly = await put('0 0 1 1 *');
  expect(yearly.body.next_at).toMatch(/-01-01T00:00:00/);
  const often = await put(everyHalfHour().cron);
  expect(Date.parse(often.body.next_at) - Date.now()).toBeLessThan(1_800_000);
  await makeDue('changed', '2 seconds');
  await runDueSchedules(api.engine);
  expect(await ticksOf('changed')).toHaveLength(1);
  const { body } = await api.ask('/v1/schedules/changed');
  expect(Date.parse(body.next_at) - Date.now()).toBeLessThan(1_800_000);
});

it('refuses what could never work, with every fault', async () => {
  const start = { pipeline: 'nowhere', inputs: { day: '${tick.dat' } };
  const put = (body: object) => api.ask('/v1/schedules/bad', { method: 'PUT', body });
  const bad = await put({ cron: '99 * * * *', start });
  expect(bad.status).toBe(422);
  expect(bad.body.errors.map((error: any) => error.pointer)).toEqual([
    '#/start/pipeline',
    '#/start/inputs/day',
    '#/cron',
  ]);
  const good = { pipeline: 'quick' };
  expect((await put({ cron: '0 0 31 2 *', start: good })).body.errors).toMatchObject([{ code: 'cron_never' }]);
  expect((await put({ cron: '@daily', timezone: 'Mars/Base', start: good })).status).toBe(422);
  expect((await put({ cron: '@daily', start: good, overlap: 'queue', catch_up: 'skip' })).status).toBe(422);
});
