import { chatPipeline, startTestApi, type TestApi } from './test-api.js';

/** Erasing runs and streams: nothing that was said is left anywhere, and everything that refers to it still answers. */
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('chat', { replies: [{ text: 'PLANT answer' }], after_last: 'repeat' });
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

async function run(message: string, more: object = {}): Promise<string> {
  const { body } = await api.ask('/v1/pipelines/chat/runs', { method: 'POST', body: { inputs: { message }, ...more } });
  await api.work();
  expect((await api.ask(`/v1/runs/${body.id}`)).body.status).toBe('succeeded');
  return body.id;
}

const erase = (path: string) => api.ask(path, { method: 'DELETE' });
const verify = async (stream: string) => (await api.ask(`/v1/admin/streams/${stream}/verify`, { method: 'POST' })).body;

/** Rows of the whole database that hold a text. */
async function holding(text: string): Promise<string[]> {
  const tables = await api.database.run(
    (sql) => sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await api.database.run((sql) =>
      sql.unsafe(`select count(*)::integer as n from "${name}" t where t::text like '%${text}%'`),
    );
    if (Number(rows[0]?.['n']) > 0) found.push(name);
  }
  return found;
}

describe('DELETE of a run', () => {
  it('leaves nothing of what it said on a stream that others use, and they go on', async () => {
    const first = await run('PLANT-one', {
      stream_id: 'shared',
      metadata: { note: 'PLANT-one' },
      tags: ['PLANT-one'],
    });
    const second = await run('the second', { stream_id: 'shared' });
    expect(await holding('PLANT-one')).not.toEqual([]);
    expect((await erase(`/v1/runs/${first}`)).status).toBe(204);
    expect(await holding('PLANT-one')).toEqual([]);
    const seen = (await api.ask(`/v1/runs/${first}`)).body;
    expect(seen).toMatchObject({ status: 'succeeded', status_reason: 'erased', inputs: {}, allowed_actions: [] });
    const events = await api.feedOf(first);
    expect(new Set(events.map(({ type, digest }) => `${type} ${digest}`))).toEqual(new Set(['EventErased erased']));
    const context = await api.ask(`/v1/runs/${second}/steps/answer/calls/1/context`);
    expect(context.body.rebuilt).toBe('erased');
    const third = await run('the third', { stream_id: 'shared' });
    const next = await api.ask(`/v1/runs/${third}/steps/answer/calls/1/context`);
    expect(next.body.rebuilt).toBe('equal');
    expect(JSON.stringify(next.body.messages)).toContain('the second');
    expect(await verify('shared')).toMatchObject({ ok: true, contexts: { equal: 1, erased: 1, corrupt: 0 } });
    const retried = await api.ask(`/v1/runs/${first}/retry`, { method: 'POST' });
    expect(retried.body).toMatchObject({ status: 409, code: 'wrong_state' });
    expect((await erase(`/v1/runs/${first}`)).status).toBe(204);
  });

  it('takes the stream of its own, and bodies of any size', async () => {
    const large = `PLANT-two ${'x'.repeat(35_000)}`;
    const messages = [{ role: 'user', content: `before ${large}` }];
    const id = await run(large, { messages });
    expect(await holding('PLANT-two')).toEqual(expect.arrayContaining(['payload']));
    await erase(`/v1/runs/${id}`);
    expect(await holding('PLANT-two')).toEqual([]);
    expect((await verify(id)).ok).toBe(true);
    expect((await api.ask(`/v1/streams/${id}/messages`)).body.data).toEqual([]);
  });

  it('waits for its end', async () => {
    const { body } = await api.ask('/v1/pipelines/chat/runs', { method: 'POST', body: { inputs: { message: 'x' } } });
    expect((await erase(`/v1/runs/${body.id}`)).body).toMatchObject({ status: 409, allowed_actions: ['cancel'] });
    expect((await erase(`/v1/admin/streams/${body.id}`)).body).toMatchObject({ status: 409, code: 'wrong_state' });
    await api.work();
  });

  it('waits for others on its stream, who may have read it', async () => {
    const first = await run('PLANT-four', { stream_id: 'busy' });
    const more = { inputs: { message: 'x' }, stream_id: 'busy' };
    const { body } = await api.ask('/v1/pipelines/chat/runs', { method: 'POST', body: more });
    const refused = await erase(`/v1/runs/${first}`);
    expect(refused.body).toMatchObject({ status: 409, code: 'wrong_state' });
    expect(refused.body.detail).toContain(body.id);
    await api.work();
    expect((await erase(`/v1/runs/${first}`)).status).toBe(204);
  });
});

describe('DELETE of a stream', () => {
  it('takes conversations, memory and runs; a new run begins anew', async () => {
    const body = {
      step_id: 'answer',
      transcript: [{ role: 'user', content: 'PLANT-three' }],
      memory: { k: 'PLANT-three' },
    };
    await api.ask('/v1/admin/streams/gone/import', { method: 'POST', body });
    await run('PLANT-three', { stream_id: 'gone' });
    expect((await erase('/v1/admin/streams/gone')).status).toBe(204);
    expect(await holding('PLANT-three')).toEqual([]);
    expect((await api.ask('/v1/admin/streams/gone')).body).toMatchObject({ memory: [] });
    const again = await run('fresh start', { stream_id: 'gone' });
    const context = await api.ask(`/v1/runs/${again}/steps/answer/calls/1/context`);
    expect(context.body.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user']);
    const verified = await verify('gone');
    expect(verified).toMatchObject({ ok: true, contexts: { equal: 1 } });
    expect(verified.erased).toBeGreaterThan(5);
    expect((await erase('/v1/admin/streams/nowhere')).status).toBe(404);
  });
});
