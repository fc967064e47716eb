import { chatPipeline, startTestApi, type TestApi } from './test-api.js';

const lines: Record<string, unknown>[] = [];
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ onLog: (line) => lines.push(JSON.parse(line)) });
  api.scripts.set('chat', [{ text: 'PAYLOAD-of-the-model' }]);
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

const start = (body: unknown) => api.ask('/v1/pipelines/chat/runs', { method: 'POST', body });

describe('the log', () => {
  it('has a line of JSON for a request and for a step, with the ids of request, run and step', async () => {
    const started = await start({
      inputs: { message: 'PAYLOAD-of-the-user' },
      metadata: { note: 'PAYLOAD-of-metadata' },
    });
    await api.work();
    expect((await api.ask(`/v1/runs/${started.body.id}`)).body.status).toBe('succeeded');
    const id = started.headers.get('x-request-id');
    expect(lines.filter(({ request_id }) => request_id === id)).toEqual([
      expect.objectContaining({
        level: 'info',
        msg: 'request ended',
        method: 'POST',
        route: '/v1/pipelines/:name/runs',
        status: 202,
      }),
    ]);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'step handled',
        run_id: started.body.id,
        step_id: 'answer',
        outcome: 'succeeded',
      }),
    );
  });

  it('tells a step that failed at `info`, with the kind of failure', async () => {
    api.scripts.set('chat', [{ failure: { class: 'invalid_request', detail: 'PAYLOAD-of-the-provider' } }]);
    const { body } = await start({ inputs: { message: 'hi' } });
    await api.work();
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'info', msg: 'step handled', run_id: body.id, outcome: 'failed' }),
    );
  });

  it('tells a request that was refused, without what was asked for', async () => {
    const refused = await start({ inputs: { message: 1, other: 'PAYLOAD-refused' } });
    const missed = await api.ask('/v1/runs/PAYLOAD-in-a-path?x=PAYLOAD-in-a-query');
    for (const { headers, status } of [refused, missed]) {
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'info', request_id: headers.get('x-request-id'), status }),
      );
    }
  });

  it('holds nothing of what users, models or providers wrote', () => {
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => JSON.stringify(line).includes('PAYLOAD'))).toEqual([]);
  });
});
