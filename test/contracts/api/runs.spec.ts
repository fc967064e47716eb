import { chatPipeline, startTestApi, type TestApi } from './test-api.js';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('chat', { replies: [{ text: 'Hello.' }], after_last: 'repeat' });
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

const start = (body: object = {}, headers: Record<string, string> = {}) =>
  api.ask('/v1/pipelines/chat/runs', { method: 'POST', headers, body: { inputs: { message: 'hi' }, ...body } });

describe('starting runs', () => {
  it('50 equal requests with one key at once: one run, 50 equal answers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => start({ tags: ['once'] }, { 'idempotency-key': 'fifty' })),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') === 'true')).toHaveLength(49);
    await api.work();
    const again = await start({ tags: ['once'] }, { 'idempotency-key': 'fifty' });
    expect(again.text).toBe(answers[0]?.text);
    const listed = await api.ask('/v1/runs?tag=once');
    expect(listed.body.data).toHaveLength(1);
  });

  it('with Prefer: wait answers 200 with the ended run, and 202 when it has not ended', async () => {
    const late = await start({}, { prefer: 'wait=0' });
    expect(late.status).toBe(202);
    expect(late.headers.get('preference-applied')).toBe('wait=0');
    const waiting = start({}, { prefer: 'wait=30' });
    const ended = await Promise.race([waiting, workUntil(waiting)]);
    expect(ended?.status).toBe(200);
    expect(ended?.body).toMatchObject({
      status: 'succeeded',
      output: 'Hello.',
      steps: [{ id: 'answer', status: 'succeeded' }],
    });
  });

  it('in one conversation, one after the other', async () => {
    const first = await start({ stream_id: 'busy' });
    const second = await start({ stream_id: 'busy' });
    const shown = await api.ask(`/v1/runs/${second.body.id}`);
    expect(shown.body).toMatchObject({
      status: 'queued',
      status_reason: 'stream_busy',
      blocked_on: [{ kind: 'run', id: first.body.id, since: expect.any(String) }],
      allowed_actions: ['cancel', 'pause'],
    });
    const listed = await api.ask('/v1/runs?stream_id=busy&status=queued,running');
    expect(listed.body.data.map((run: { id: string }) => run.id)).toEqual([second.body.id, first.body.id]);
    expect(listed.body.data[0]).toMatchObject({
      status_reason: 'stream_busy',
      status_detail: shown.body.status_detail,
    });
    await api.work();
    await api.work();
    expect((await api.ask(`/v1/runs/${second.body.id}`)).body.status).toBe('succeeded');
  });
});

async function workUntil<T>(ended: Promise<T>): Promise<null> {
  let isOver = false;
  void ended.finally(() => (isOver = true));
  while (!isOver) {
    await api.work();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return new Promise(() => undefined);
}

describe('runs', () => {
  it('show what a call saw, its size, cost and hash', async () => {
    const { body } = await start({ stream_id: 'seen' });
    await api.work();
    const calls = await api.ask(`/v1/runs/${body.id}/steps/answer/calls`);
    expect(calls.body.data).toMatchObject([
      { call: 1, try: 1, status: 'completed', model: 'scripted:chat', finish_reason: 'stop', tool_calls: [] },
    ]);
    const context = await api.ask(`/v1/runs/${body.id}/steps/answer/calls/1/context?diff=previous`);
    expect(context.body).toMatchObject({
      rebuilt: 'equal',
      context_hash: calls.body.data[0].context_hash,
      diff: null,
      omitted: [],
    });
    expect(context.body.messages.map((message: { role: string }) => message.role)).toEqual(['system', 'user']);
    const next = await start({ stream_id: 'seen' });
    await api.work();
    const later = await api.ask(`/v1/runs/${next.body.id}/steps/answer/calls/1/context?diff=previous`);
    expect(later.body.messages.map((message: { role: string }) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    expect(later.body.diff).toEqual({
      common_prefix_chars: expect.any(Number),
      first_difference: { message: 2, cause: 'appended' },
    });
    const cost = await api.ask(`/v1/runs/${body.id}/cost`);
    expect(cost.body).toMatchObject({
      usage: { model_calls: 1 },
      models: [{ model: 'scripted:chat', usage: { model_calls: 1 } }],
    });
    const explained = await api.ask(`/v1/runs/${body.id}/explain`);
    expect(explained.body).toMatchObject({ status: 'succeeded', steps: [{ step_id: 'answer', status: 'succeeded' }] });
  });

  it('hide inputs, outputs and contexts from keys without content:read', async () => {
    const { body } = await start({ metadata: { note: 'private' } });
    await api.work();
    const reader = await api.newKey(['runs:read', 'admin:read']);
    const shown = await api.ask(`/v1/runs/${body.id}`, { key: reader.token });
    expect(shown.body).toMatchObject({ status: 'succeeded', inputs: null, output: null, metadata: null });
    expect((await api.ask(`/v1/runs/${body.id}/steps/answer`, { key: reader.token })).body.output).toBeNull();
    const listed = await api.ask('/v1/runs', { key: reader.token });
    expect(listed.text).not.toContain('private');
    const version = await api.ask('/v1/pipelines/chat/versions/1', { key: reader.token });
    expect(version.body.document).toBeNull();
    const refused = await api.ask(`/v1/runs/${body.id}/steps/answer/calls/1/context`, { key: reader.token });
    expect(refused.body).toMatchObject({ status: 403, required_scope: 'content:read' });
    const events = await api.ask(`/v1/admin/streams/${body.stream_id}:step:answer/events`, { key: reader.token });
    expect(events.status).toBe(200);
    expect(events.text).not.toContain('Hello.');
  });

  it('are labelled, cancelled once, and counted', async () => {
    const { body } = await start();
    const labelled = await api.ask(`/v1/runs/${body.id}`, {
      method: 'PATCH',
      body: { tags: ['a', 'a', 'b'], metadata: { n: 1 } },
    });
    expect(labelled.body).toMatchObject({ tags: ['a', 'b'], metadata: { n: 1 } });
    const headers = { 'idempotency-key': 'stop' };
    const [first, second] = await Promise.all(
      [1, 2].map(() => api.ask(`/v1/runs/${body.id}/cancel`, { method: 'POST', headers, body: { reason: 'enough' } })),
    );
    expect(first?.text).toBe(second?.text);
    expect([first, second].filter((answer) => answer?.headers.get('idempotency-replayed') === 'true')).toHaveLength(1);
    expect((await api.ask(`/v1/runs/${body.id}/cancel`, { method: 'POST' })).status).toBe(202);
    expect((await api.ask(`/v1/runs/${body.id}`)).body).toMatchObject({ status: 'cancelled', status_reason: 'enough' });
    const usage = await api.ask('/v1/admin/usage?group_by=pipeline,model,day');
    expect(usage.body.data[0]).toMatchObject({
      pipeline: 'chat',
      model: 'scripted:chat',
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    const audit = await api.ask('/v1/admin/audit-log?limit=200');
    expect(audit.body.data.map((entry: { action: string }) => entry.action)).toEqual(
      expect.arrayContaining(['run.cancelled', 'pipeline.applied', 'api_key.created']),
    );
  });

  it('show what they and the runs that they started have spent, part by part', async () => {
    await api.ask('/v1/pipelines/asks', {
      method: 'PUT',
      body: {
        name: 'asks',
        inputs: { message: { type: 'string' } },
        steps: [
          { id: 'first', pipeline: 'chat', inputs: { message: '${inputs.message}' } },
          { id: 'second', depends_on: ['first'], pipeline: 'chat', inputs: { message: '${inputs.message}' } },
        ],
      },
    });
    const { body } = await api.ask('/v1/pipelines/asks/runs', { method: 'POST', body: { inputs: { message: 'Hi' } } });
    for (let rounds = 0; rounds < 4; rounds += 1) await api.work();
    const cost = await api.ask(`/v1/runs/${body.id}/cost`);
    expect(cost.body).toMatchObject({
      usage: { model_calls: 2 },
      steps: [{ usage: { model_calls: 0 } }, { usage: { model_calls: 0 } }],
      children: [
        { pipeline: 'chat', step_id: 'first', item: null, usage: { model_calls: 1 } },
        { pipeline: 'chat', step_id: 'second', item: null, usage: { model_calls: 1 } },
      ],
      models: [],
    });
    const [child] = cost.body.children;
    const own = await api.ask(`/v1/runs/${child.run_id}/cost`);
    expect(own.body).toMatchObject({ usage: child.usage, children: [], models: [{ model: 'scripted:chat' }] });
  });

  it('are told of in the order in which it happened: what a step did, its end, the end of the run', async () => {
    const tool = { tool: 'now', args: {} };
    const steps = [
      { id: 'first', ...tool },
      { id: 'last', depends_on: ['first'], ...tool },
    ];
    await api.ask('/v1/pipelines/clock', { method: 'PUT', body: { name: 'clock', steps } });
    const { body: run } = await api.ask('/v1/pipelines/clock/runs', { method: 'POST', body: {} });
    await api.work();
    const told = (await api.feedOf(run.id)).map(({ type, step_id }) => [step_id, type]);
    const place = (step: string, type: string) => told.findIndex(([id, of]) => id === step && of === type);
    for (const step of ['first', 'last']) {
      expect(place(step, 'ToolCallCompleted')).toBeGreaterThan(place(step, 'ToolCallStarted'));
      expect(place(step, 'StepSucceeded')).toBeGreaterThan(place(step, 'ToolCallCompleted'));
    }
    expect(told.at(-1)).toEqual([null, 'RunSucceeded']);
  });

  it('are listed page by page, each once, newest first', async () => {
    const expected = [];
    for (let at = 0; at < 5; at += 1) expected.unshift((await start({ tags: ['page'] })).body.id);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { body: any } = await api.ask(`/v1/runs?tag=page&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.body.data.map((run: { id: string }) => run.id));
      cursor = page.body.next_cursor;
    }
    expect(seen).toEqual(expected);
    const created = (await api.ask(`/v1/runs/${expected[2]}`)).body.created_at;
    const after = await api.ask(`/v1/runs?tag=page&created_after=${encodeURIComponent(created)}`);
    expect(after.body.data).toHaveLength(2);
    await api.work();
  });
});

describe('a failed run', () => {
  it('goes on from where it failed when it is retried', async () => {
    api.scripts.set('flaky', [{ failure: { class: 'authentication', detail: 'no such key' } }]);
    await api.ask('/v1/pipelines/flaky', { method: 'PUT', body: chatPipeline('flaky', 'flaky') });
    const { body } = await api.ask('/v1/pipelines/flaky/runs', { method: 'POST', body: { inputs: { message: 'hi' } } });
    expect((await api.ask(`/v1/runs/${body.id}/retry`, { method: 'POST' })).body).toMatchObject({
      code: 'wrong_state',
      allowed_actions: ['cancel', 'pause'],
    });
    await api.work();
    expect((await api.ask(`/v1/runs/${body.id}`)).body).toMatchObject({
      status: 'failed',
      allowed_actions: ['retry'],
      error: { step_id: 'answer' },
    });
    api.scripts.set('flaky', { replies: [{ text: 'Better.' }], after_last: 'repeat' });
    const headers = { 'idempotency-key': 'again' };
    const retried = await api.ask(`/v1/runs/${body.id}/retry`, { method: 'POST', body: { version: 'live' }, headers });
    expect(retried).toMatchObject({ status: 202, body: { id: body.id, version: 1, steps: ['answer'] } });
    expect(
      (await api.ask(`/v1/runs/${body.id}/retry`, { method: 'POST', body: { version: 'live' }, headers })).body,
    ).toEqual(retried.body);
    await api.work();
    expect((await api.ask(`/v1/runs/${body.id}`)).body).toMatchObject({ status: 'succeeded', output: 'Better.' });
  });
});
