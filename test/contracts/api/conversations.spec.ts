import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chatPipeline, startTestApi, type TestApi } from './test-api.js';

/** Conversations in and out: import, export, messages of a chat, runs that begin with what was said before. */
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('chat', { replies: [{ text: 'Hello again.' }], after_last: 'repeat' });
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

const openai = [
  { role: 'developer', content: 'You are a shop.' },
  { role: 'user', content: 'Where is order 17?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find_order', arguments: '{"id": 17}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'Shipped on Monday.' },
  { role: 'tool', tool_call_id: 'c9', content: 'nobody asked' },
  { role: 'assistant', content: 'It was shipped on Monday.' },
];

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.ask(path, { method: 'POST', body, headers });
const into = (stream: string, body: object) =>
  post(`/v1/admin/streams/${stream}/import`, { step_id: 'answer', transcript: openai, ...body });

async function runOn(stream: string, more: object = {}) {
  const started = await post('/v1/pipelines/chat/runs', {
    inputs: { message: 'And order 18?' },
    stream_id: stream,
    ...more,
  });
  if (started.status !== 202) return started;
  await api.work();
  return api.ask(`/v1/runs/${started.body.id}`);
}

describe('import', () => {
  it('says beforehand what it would do, and writes nothing', async () => {
    const planned = await into('planned', { dry_run: true });
    expect(planned.status).toBe(200);
    expect(planned.body).toMatchObject({
      status: 'would_import',
      stream_id: 'planned',
      step_id: 'answer',
      report: {
        messages: 6,
        entries: 4,
        answers: 2,
        results: 1,
        left_out: [
          { message_index: 0, reason: 'system_prompt' },
          { message_index: 4, reason: 'result_without_call' },
        ],
      },
    });
    expect((await api.ask('/v1/admin/streams/planned')).status).toBe(404);
  });

  it('is what the next run goes on in, once however often it is sent', async () => {
    const first = await into('moved', { source_id: 'chat-1', memory: { name: 'Ada' } });
    expect(first.body).toMatchObject({ status: 'imported', source_id: 'chat-1', appended: first.body.version });
    const again = await into('moved', { source_id: 'chat-1', memory: { name: 'Ada' } });
    expect(again.body).toMatchObject({ status: 'unchanged', appended: 0, version: first.body.version });
    const run = await runOn('moved');
    expect(run.body).toMatchObject({ status: 'succeeded', output: 'Hello again.' });
    const context = await api.ask(`/v1/runs/${run.body.id}/steps/answer/calls/1/context`);
    expect(context.body.rebuilt).toBe('equal');
    const text = JSON.stringify(context.body.messages);
    for (const said of [
      'Where is order 17?',
      'Shipped on Monday.',
      'It was shipped on Monday.',
      'And order 18?',
      'Ada',
    ])
      expect(text).toContain(said);
    expect(text).not.toContain('You are a shop.');
    const verified = await post('/v1/admin/streams/moved/verify', undefined);
    expect(verified.body).toMatchObject({ ok: true, contexts: { equal: 1 } });
  });

  it('adds what is new of a longer version of the same source, and refuses another conversation under its id', async () => {
    await into('longer', { source_id: 's' });
    const more = [...openai, { role: 'user', content: 'Thanks.' }, { role: 'assistant', content: 'Gladly.' }];
    expect((await into('longer', { source_id: 's', transcript: more })).body).toMatchObject({
      status: 'imported',
      appended: 2,
    });
    const other = await into('longer', { source_id: 's', transcript: [{ role: 'user', content: 'Else' }, ...openai] });
    expect(other.body).toMatchObject({ status: 409, code: 'wrong_state' });
    const messages = await api.ask('/v1/streams/longer/messages?limit=100');
    expect(messages.body.data).toHaveLength(6);
  });

  it.each([
    ['another speaker where the known one spoke', [openai[1], { role: 'user', content: 'Else' }]],
    ['one message in place of the first', [{ role: 'user', content: 'Else' }]],
    ['an answer in place of the first message', [{ role: 'assistant', content: 'Else' }]],
  ])('refuses %s under a known source id, and writes nothing', async (what, transcript) => {
    const stream = what.replaceAll(' ', '-');
    await into(stream, { source_id: 's' });
    expect((await into(stream, { source_id: 's', transcript })).body).toMatchObject({
      status: 409,
      code: 'wrong_state',
    });
    expect((await api.ask(`/v1/streams/${stream}/messages`)).body.data).toHaveLength(4);
  });

  it('knows a source again without its system message', async () => {
    await into('unprompted', { source_id: 's' });
    const again = await into('unprompted', { source_id: 's', transcript: openai.slice(1) });
    expect(again.body).toMatchObject({ status: 'unchanged', appended: 0 });
  });

  it('waits for nobody: a stream that a run holds is refused', async () => {
    const started = await post('/v1/pipelines/chat/runs', { inputs: { message: 'hi' }, stream_id: 'held' });
    expect((await into('held', {})).body).toMatchObject({ status: 409, code: 'stream_busy' });
    await api.work();
    expect((await api.ask(`/v1/runs/${started.body.id}`)).body.status).toBe('succeeded');
    expect((await into('held', {})).status).toBe(200);
  });

  it.each([
    ['no step', { step_id: null }, '#/step_id'],
    ['nothing to show', { transcript: [{ role: 'system', content: 'x' }] }, '#/transcript'],
    ['no transcript', { transcript: { messages: [{ role: 'robot' }] } }, '#/transcript/messages/0/role'],
    ['a list with an unknown role', { transcript: [{ role: 'robot' }] }, '#/transcript/0/role'],
  ])('refuses %s and says where', async (_what, body, pointer) => {
    const refused = await into('refused', body);
    expect(refused.status).toBe(422);
    expect(refused.body.errors.map((fault: { pointer: string }) => fault.pointer)).toContain(pointer);
    expect((await api.ask('/v1/admin/streams/refused')).status).toBe(404);
  });
});

describe('export', () => {
  it('imports into equal contexts', async () => {
    const recorded = JSON.parse(
      readFileSync(join(process.cwd(), 'test/fixtures/transcripts/tau-airline-33.json'), 'utf8'),
    );
    const move = async (from: string, to: string) => {
      const { body } = await api.ask(`/v1/admin/streams/${from}/export`);
      const { stream_id: _stream, ...whole } = body;
      expect(whole).toMatchObject({ step_id: 'answer', memory: { colour: 'red', 'a\u0000b': 1 } });
      expect((await post(`/v1/admin/streams/${to}/import`, whole)).body.status).toBe('imported');
    };
    await into('original', { transcript: recorded, memory: { colour: 'red', 'a\u0000b': 1 } });
    await move('original', 'copy');
    // A run of the copy sends what a run of the original sends.
    const sent = [];
    for (const stream of ['original', 'copy']) {
      const { body: run } = await runOn(stream);
      sent.push((await api.ask(`/v1/runs/${run.id}/steps/answer/calls/1/context`)).body.context_hash);
    }
    expect(sent[1]).toBe(sent[0]);
  });

  it('speaks OpenAI’s form too', async () => {
    await into('chatform', {});
    const { body } = await api.ask('/v1/admin/streams/chatform/export?format=openai');
    expect(body.transcript.messages).toEqual([
      { role: 'user', content: 'Where is order 17?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: expect.any(String), type: 'function', function: { name: 'find_order', arguments: '{"id": 17}' } },
        ],
      },
      { role: 'tool', tool_call_id: body.transcript.messages[1].tool_calls[0].id, content: 'Shipped on Monday.' },
      { role: 'assistant', content: 'It was shipped on Monday.' },
    ]);
  });
});

describe('messages of a chat', () => {
  it('are paged by entry, from either end', async () => {
    await into('paged', {});
    const pages: any[] = [];
    for (let cursor = ''; ;) {
      const page = await api.ask(`/v1/streams/paged/messages?limit=3${cursor}`);
      pages.push(...page.body.data);
      if (!page.body.has_more) break;
      cursor = `&cursor=${page.body.next_cursor}`;
    }
    expect(pages.map(({ entry, kind, status }) => [entry, kind, status])).toEqual([
      [1, 'user', null],
      [2, 'answer', 'tool_calls'],
      [3, 'result', 'ok'],
      [4, 'answer', 'stop'],
    ]);
    const newest = await api.ask('/v1/streams/paged/messages?order=desc&limit=1&step=answer');
    expect(newest.body.data[0]).toMatchObject({ entry: 4, role: 'assistant' });
    const mixed = await api.ask(`/v1/streams/paged/messages?cursor=${newest.body.next_cursor}`);
    expect(mixed.body).toMatchObject({ status: 400, code: 'cursor_invalid' });
    expect((await api.ask('/v1/streams/paged/messages?step=other')).status).toBe(422);
    expect((await api.ask('/v1/streams/nowhere/messages')).status).toBe(404);
  });
});

describe('a run that begins with messages', () => {
  it('goes on in them, and is refused on a stream that has a conversation', async () => {
    const run = await runOn('prior', { messages: openai });
    expect(run.body.status).toBe('succeeded');
    const shown = await api.ask('/v1/streams/prior/messages');
    expect(shown.body.data.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    const again = await runOn('prior', { messages: openai });
    expect(again.body).toMatchObject({ status: 422, errors: [{ pointer: '#/messages', code: 'conversation_exists' }] });
    expect((await api.ask('/v1/runs?stream_id=prior')).body.data).toHaveLength(1);
  });

  it('is refused where no agent keeps a conversation', async () => {
    const fresh = { ...chatPipeline('fresh'), context: { mode: 'fresh' } };
    await api.ask('/v1/pipelines/fresh', { method: 'PUT', body: fresh });
    const refused = await post('/v1/pipelines/fresh/runs', { inputs: { message: 'x' }, messages: openai });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '#/messages', code: 'no_conversation' }] });
  });
});

describe('a delayed run', () => {
  it('says when it starts, lets others pass, and starts when its time has come', async () => {
    const later = await post('/v1/pipelines/chat/runs', { inputs: { message: 'x' }, stream_id: 'slow', delay: '1h' });
    expect(later.status).toBe(202);
    await api.work();
    const waiting = await api.ask(`/v1/runs/${later.body.id}`);
    expect(waiting.body).toMatchObject({
      status: 'queued',
      status_reason: 'delayed',
      blocked_on: [{ kind: 'timer' }],
    });
    expect((await runOn('slow')).body.status).toBe('succeeded');
    await api.database.run((sql) => sql`update run set start_at = now() where run_id = ${later.body.id}`);
    await api.sweep();
    await api.work();
    expect((await api.ask(`/v1/runs/${later.body.id}`)).body.status).toBe('succeeded');
  });

  it('takes no other delay than a duration', async () => {
    const refused = await post('/v1/pipelines/chat/runs', { inputs: { message: 'x' }, delay: 'PT5M' });
    expect(refused.body.errors[0]).toMatchObject({ pointer: '#/delay' });
  });
});

describe('PATCH of a run', () => {
  it('raises its limit and priority while it is under way, and only then', async () => {
    const limited = await post('/v1/pipelines/chat/runs', {
      inputs: { message: 'x' },
      spend_limit: { tokens: 0 },
    });
    await api.work();
    const path = `/v1/runs/${limited.body.id}`;
    expect((await api.ask(path)).body).toMatchObject({ status: 'waiting', status_reason: 'spend_limit' });
    const patch = { priority: 5, spend_limit: { tokens: 1000 }, tags: ['raised'] };
    const raised = await api.ask(path, { method: 'PATCH', body: patch });
    expect(raised.body).toMatchObject({ priority: 5, tags: ['raised'] });
    const again = await api.ask(path, { method: 'PATCH', body: { metadata: { n: 1 } } });
    expect(again.body).toMatchObject({ priority: 5, tags: ['raised'], metadata: { n: 1 } });
    const { data } = (await api.ask(`/v1/admin/streams/${limited.body.stream_id}/events`)).body;
    const told = data.filter(({ type }: { type: string }) => type === 'RunLabelled' || type === 'SpendLimitChanged');
    expect(told.map((event: { data: unknown }) => event.data)).toEqual([
      { spend_limit: expect.objectContaining({ tokens: 1000 }) },
      { tags: ['raised'], priority: 5 },
      { metadata: { n: 1 } },
    ]);
    await api.work();
    expect((await api.ask(path)).body.status).toBe('succeeded');
    const late = await api.ask(path, { method: 'PATCH', body: { priority: 1 } });
    expect(late.body).toMatchObject({ status: 409, code: 'wrong_state' });
  });
});
