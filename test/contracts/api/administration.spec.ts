import { cuttableProxy } from './cuttable-proxy.js';
import { chatPipeline, startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
const proxy = cuttableProxy();

beforeAll(async () => {
  api = await startTestApi({ databaseUrl: (url) => proxy.inFrontOf(url) });
  api.scripts.set('chat', { replies: [{ text: 'Hello.' }], after_last: 'repeat' });
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(async () => {
  await api.close();
  await proxy.close();
});

const start = (body: object = {}, headers: Record<string, string> = {}) =>
  api.ask('/v1/pipelines/chat/runs', { method: 'POST', headers, body: { inputs: { message: 'hi' }, ...body } });

describe('recordings', () => {
  it('are kept by name, replaced and deleted', async () => {
    const transcript = {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Hello.', extra: 1 },
      ],
    };
    const put = await api.ask('/v1/recordings/one', { method: 'PUT', body: transcript });
    expect(put).toMatchObject({ status: 200, body: { name: 'one', bytes: expect.any(Number) } });
    expect((await api.ask('/v1/recordings/one')).body).toEqual({ ...put.body, transcript });
    expect((await api.ask('/v1/recordings')).body.data).toEqual([put.body]);
    const faulty = await api.ask('/v1/recordings/two', { method: 'PUT', body: { messages: [{ role: 'nobody' }] } });
    expect(faulty).toMatchObject({ status: 422, body: { errors: [{ pointer: '#/messages/0/role' }] } });
    expect((await api.ask('/v1/recordings/one', { method: 'DELETE' })).status).toBe(204);
    expect((await api.ask('/v1/recordings/one')).body.code).toBe('recording_not_found');
  });
});

describe('pipelines', () => {
  it('change nothing when applied again, from YAML as from JSON', async () => {
    const yaml = 'name: y\nsteps:\n  - id: one\n    transform: { a: 1 }\n';
    const put = (body: unknown, type: string) =>
      api.ask('/v1/pipelines/y', { method: 'PUT', body, headers: { 'content-type': type } });
    expect(await put(yaml, 'application/yaml')).toMatchObject({ status: 201, body: { version: 1, created: true } });
    expect(await put(yaml, 'text/yaml; charset=utf-8')).toMatchObject({
      status: 200,
      body: { version: 1, created: false },
    });
    expect(await put({ name: 'y', steps: [{ id: 'one', transform: { a: 1 } }] }, 'application/json')).toMatchObject({
      status: 200,
      body: { created: false },
    });
    const next = {
      name: 'y',
      steps: [
        { id: 'one', transform: { a: 2 } },
        { id: 'two', depends_on: ['one'], transform: 1 },
      ],
    };
    const unpromoted = await api.ask('/v1/pipelines/y?promote=false', { method: 'PUT', body: next });
    expect(unpromoted).toMatchObject({ status: 201, body: { version: 2, promoted: false } });
    expect((await api.ask('/v1/pipelines/y')).body).toMatchObject({
      latest_version: 2,
      aliases: { live: { version: 1 } },
    });
    expect((await api.ask('/v1/pipelines/y/aliases/live', { method: 'PUT', body: { version: 2 } })).status).toBe(200);
    expect((await api.ask('/v1/pipelines/y')).body.aliases.live.version).toBe(2);
    const graph = await api.ask('/v1/pipelines/y/versions/2/graph');
    expect(graph.body.edges).toEqual([{ from: 'one', to: 'two', kind: 'depends_on' }]);
    expect((await api.ask('/v1/pipelines/y', { method: 'DELETE' })).status).toBe(204);
    expect((await api.ask('/v1/pipelines/y')).status).toBe(404);
    expect((await api.ask('/v1/pipelines/y/runs', { method: 'POST', body: {} })).status).toBe(404);
  });
});

describe('administration', () => {
  it('a new project has keys of its own and sees nothing of others', async () => {
    expect(
      (await api.ask('/v1/admin/projects', { method: 'POST', body: { id: 'second', name: 'The second' } })).status,
    ).toBe(201);
    expect((await api.ask('/v1/admin/projects', { method: 'POST', body: { id: 'second' } })).body.code).toBe(
      'project_exists',
    );
    const issue = { name: 'theirs', scopes: ['runs:read', 'admin:read'], project_id: 'second' };
    const headers = { 'idempotency-key': 'issue' };
    const issued = await api.ask('/v1/admin/api-keys', { method: 'POST', body: issue, headers });
    expect(issued).toMatchObject({ status: 201, body: { project_id: 'second', key: expect.stringMatching(/^weir_/) } });
    const replayed = await api.ask('/v1/admin/api-keys', { method: 'POST', body: issue, headers });
    expect(replayed.body).toEqual({ ...issued.body, key: null });
    const { key } = issued.body;
    expect((await api.ask('/v1/runs', { key })).body.data).toEqual([]);
    expect(
      (await api.ask('/v1/admin/projects', { key })).body.data.map((project: { id: string }) => project.id),
    ).toEqual(['second']);
    expect((await api.ask('/v1/admin/api-keys?project_id=default', { key })).status).toBe(404);
    expect((await api.ask('/v1/admin/streams', { key })).body.data).toEqual([]);
  });

  it('shows streams with their sub-streams, and verifies them', async () => {
    await start({ stream_id: 'looked-at' });
    await api.work();
    const listed = await api.ask('/v1/admin/streams?prefix=looked');
    expect(listed.body.data).toMatchObject([{ stream_id: 'looked-at', active: false }]);
    const shown = await api.ask('/v1/admin/streams/looked-at');
    expect(shown.body).toMatchObject({
      root_stream_id: 'looked-at',
      sub_streams: [{ stream_id: 'looked-at:step:answer', entries: 2 }],
      memory: [],
      holds: [],
    });
    const verified = await api.ask('/v1/admin/streams/looked-at/verify', { method: 'POST' });
    expect(verified.body).toMatchObject({
      ok: true,
      logs: 2,
      calls: 1,
      contexts: { equal: 1, corrupt: 0 },
      faults: [],
    });
    await api.database.run(
      (sql) =>
        sql`update event set data = jsonb_set(data, '{content}', '"changed"') where stream_id = 'looked-at:step:answer' and type = 'UserMessageReceived'`,
    );
    const broken = await api.ask('/v1/admin/streams/looked-at/verify', { method: 'POST' });
    expect(broken.body).toMatchObject({ ok: false, contexts: { corrupt: 1 } });
    expect(broken.body.faults.map((fault: { code: string }) => fault.code)).toEqual([
      'digest_differs',
      'context_differs',
    ]);
  });

  it('has metrics of requests and steps', async () => {
    await api.ask('/v1/runs/run_none');
    const { text } = await api.ask('/metrics', { key: null });
    expect(text).toMatch(/weir_http_request_duration_seconds_count\{.*route="\/v1\/runs\/:run".*\} \d/);
    expect(text).toMatch(/weir_steps_runnable\{.*\} \d/);
    expect(text).toMatch(/weir_compactions_requested_total\{.*\} \d/);
    expect(text).toMatch(/weir_compaction_breakers\{.*state="open".*\} 0/);
  });
});

describe('while Postgres is away', () => {
  it('answers 503 with when to come back, says why it is not ready, and recovers', async () => {
    proxy.cut();
    const answer = await api.ask('/v1/runs');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'database_unavailable', retryable: true, retry_after_ms: expect.any(Number) },
    });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await start()).status).toBe(503);
    const ready = await api.ask('/health/ready', { key: null });
    expect(ready).toMatchObject({
      status: 503,
      body: { code: 'not_ready', checks: { database: { ok: false }, queue: { ok: true } } },
    });
    expect((await api.ask('/health/live', { key: null })).status).toBe(200);
    proxy.mend();
    expect((await api.ask('/v1/runs')).status).toBe(200);
  });
});
