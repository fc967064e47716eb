import { chatPipeline, startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
const STREAM = 'preview-1';
const path = `/v1/admin/streams/${STREAM}/context-preview`;

beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('chat', [{ text: 'Hello.' }]);
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
  for (const message of ['one', 'two', 'three']) {
    const body = { inputs: { message }, stream_id: STREAM };
    await api.ask('/v1/pipelines/chat/runs', { method: 'POST', body });
    await api.work();
  }
});
afterAll(() => api.close());

const preview = (body: object) => api.ask(path, { method: 'POST', body });

describe('the preview of a stored stream', () => {
  it('tells of each call what it would have sent, of all in sum, and of the next one', async () => {
    const { status, body } = await preview({ policy: {} });
    expect(status).toBe(200);
    expect(body.calls.map((line: { call: number; message_index: number; messages: number }) => line)).toMatchObject([
      { event: 'call', call: 1, message_index: 1, messages: 1, outcome: 'ready', lint: [] },
      { event: 'call', call: 2, message_index: 3, messages: 3 },
      { event: 'call', call: 3, message_index: 5, messages: 5 },
    ]);
    expect(body.total).toMatchObject({ event: 'total', calls: 3, lint_violations: 0, over_hard_cap: 0 });
    expect(body.context).toMatchObject({ outcome: 'ready', omitted: [], report: { chars: expect.any(Number) } });
  });

  it('is the same build under another policy', async () => {
    const fresh = (await preview({ policy: { mode: 'fresh' } })).body;
    expect(fresh.calls.map((line: { messages: number }) => line.messages)).toEqual([1, 1, 1]);
    const forgetful = (
      await preview({ policy: { preset: 'chat', window: { forget_after_turns: 1, mask_batch_turns: 1 } } })
    ).body;
    expect(forgetful.calls.at(-1)).toMatchObject({ messages: 3, omitted: 2 });
  });

  it('can be asked for one run, up to an event', async () => {
    const { body: all } = await preview({ policy: {} });
    const { body: runs } = await api.ask(`/v1/runs?stream_id=${STREAM}`);
    const newest = runs.data[0].id;
    const one = (await preview({ policy: {}, run_id: newest })).body;
    expect(one.calls.map((line: { context_hash: string }) => line.context_hash)).toEqual([all.calls[2].context_hash]);
    const none = (await preview({ policy: {}, upto_seq: 0 })).body;
    expect(none).toMatchObject({ context: null, calls: [], total: { calls: 0, chars: 0 } });
  });

  it.each([
    [{ policy: { window: { soft_cap_chars: 0 } } }, '#/policy/window/soft_cap_chars'],
    [{ policy: { windows: {} } }, '#/policy/windows'],
    [{ policy: {}, model: 'nowhere:model' }, '#/model'],
    [{ policy: {}, step_id: 'nowhere' }, '#/step_id'],
    [{}, '#/policy'],
  ])('refuses %j with the place of the fault', async (body, pointer) => {
    const { status, body: problem } = await preview(body);
    expect(status).toBe(422);
    expect(problem.errors).toEqual(expect.arrayContaining([expect.objectContaining({ pointer })]));
  });

  it('needs a stream', async () => {
    const { status, body } = await api.ask('/v1/admin/streams/nowhere/context-preview', {
      method: 'POST',
      body: { policy: {} },
    });
    expect([status, body.code]).toEqual([404, 'stream_not_found']);
  });
});

describe('the review of recorded calls', () => {
  it('builds each again and finds what was recorded', async () => {
    const { status, body } = await api.ask(`/v1/admin/streams/${STREAM}/calls`);
    expect(status).toBe(200);
    expect(body.calls).toHaveLength(3);
    for (const line of body.calls)
      expect(line).toMatchObject({ rebuilt: 'equal', attempt: 1, run_call: 1, try: 1, outcome: 'ready', lint: [] });
    const contexts = await Promise.all(
      body.calls.map((line: { run_id: string; step_id: string }) =>
        api.ask(`/v1/runs/${line.run_id}/steps/${line.step_id}/calls/1/context`),
      ),
    );
    expect(contexts.map((one) => one.body.context_hash)).toEqual(
      body.calls.map((line: { context_hash: string }) => line.context_hash),
    );
  });
});
