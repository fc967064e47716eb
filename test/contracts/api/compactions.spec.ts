import { runWeir } from '../cli/run-weir.js';
import { startTestApi, type TestApi } from './test-api.js';

/** What an admin sees of compactions and may do about them, over HTTP and on the command line. */
let api: TestApi;
const weir = (...argv: string[]) => runWeir({ url: api.url, key: api.token }, ...argv);

beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('talk', {
    replies: [{ text: `An answer. ${'lorem ipsum '.repeat(120)}` }],
    after_last: 'repeat',
  });
  api.scripts.set('summariser', {
    replies: [
      {
        text: 'The user asked and was answered.',
        usage: { input_tokens: 900, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 40 },
      },
    ],
    after_last: 'repeat',
  });
  const document = {
    name: 'talk',
    inputs: { message: { type: 'string', required: true } },
    defaults: { model: 'scripted:talk', retry: { max_attempts: 1 } },
    context: {
      window: { observation_window: 2, soft_cap_chars: 50_000, hard_cap_chars: 60_000, min_tail_turns: 1 },
      compaction: { model: 'scripted:summariser', max_summary_chars: 1_000 },
    },
    agents: { helper: { system_prompt: 'Help.' } },
    steps: [{ id: 'answer', agent: 'helper', task: '${inputs.message}' }],
  };
  expect((await api.ask('/v1/pipelines/talk', { method: 'PUT', body: document })).status).toBe(201);
  for (const n of [1, 2, 3, 4]) await say('talk', `question ${n}`);
});
afterAll(() => api.close());

async function say(streamId: string, message: string): Promise<string> {
  const body = { inputs: { message }, stream_id: streamId };
  const run = await api.ask('/v1/pipelines/talk/runs', { method: 'POST', body });
  await api.work();
  return run.body.id;
}

describe('compactions over the API', () => {
  let id: string;

  it('are requested for a stream, run, and shown with range, sizes, summary, attempts and usage', async () => {
    const asked = await api.ask('/v1/admin/streams/talk/compactions', { method: 'POST', body: {} });
    expect(asked).toMatchObject({ status: 202, body: { status: 'requested', reason: 'requested', entries: [1, 6] } });
    id = asked.body.id;
    await api.work();
    const { body } = await api.ask(`/v1/admin/compactions/${id}`);
    expect(body).toMatchObject({
      stream_id: 'talk:step:answer',
      status: 'compacted',
      live: true,
      summarizer: { model: 'scripted:summariser', extractive: false },
      usage: { input_tokens: 900, output_tokens: 40, model_calls: 1 },
      attempts: [{ n: 1, outcome: 'summary', error: null }],
      allowed_actions: ['rollback'],
    });
    expect(body.summary).toContain('The user asked and was answered.');
    expect(body.chars_after).toBeLessThan(body.chars_before);
    const run = await api.ask(`/v1/runs/${body.run_id}`);
    expect(run.body.usage.model_calls).toBe(2);
  });

  it('lead to the events behind them, and events lead back', async () => {
    const { body: compaction } = await api.ask(`/v1/admin/compactions/${id}`);
    const first = await api.ask(`/v1/admin/compactions/${id}/events?limit=3`);
    expect(first.body).toMatchObject({ has_more: true, next_cursor: String(compaction.range[0] + 2) });
    const rest = await api.ask(`/v1/admin/compactions/${id}/events?after=${first.body.next_cursor}`);
    const seqs = [...first.body.data, ...rest.body.data].map((event) => event.seq);
    expect(seqs[0]).toBe(compaction.range[0]);
    expect(seqs.at(-1)).toBe(compaction.range[1]);
    expect(JSON.stringify([first.body, rest.body])).toContain('question 1');
    const covering = await api.ask('/v1/admin/compactions?stream_id=talk&entry=6');
    expect(covering.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
    expect((await api.ask('/v1/admin/compactions?stream_id=talk&entry=7')).body.data).toEqual([]);
  });

  it('hide summaries and events from keys without content:read, and verbs from keys without admin:write', async () => {
    const { token } = await api.newKey(['admin:read']);
    expect((await api.ask(`/v1/admin/compactions/${id}`, { key: token })).body.summary).toBeNull();
    const events = await api.ask(`/v1/admin/compactions/${id}/events?types=UserMessageReceived`, { key: token });
    expect(events.body.data[0].data).toBeNull();
    const refused = await api.ask(`/v1/admin/compactions/${id}/rollback`, { method: 'POST', key: token });
    expect(refused).toMatchObject({ status: 403, body: { required_scope: 'admin:write' } });
  });

  it('of other projects do not exist', async () => {
    const { token } = await api.newProject('elsewhere');
    for (const path of [`compactions/${id}/rollback`, `compactions/${id}/retry`, 'streams/talk/compactions']) {
      const answer = await api.ask(`/v1/admin/${path}`, { method: 'POST', key: token, body: {} });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  it('are rolled back once per key, and a wrong state says why', async () => {
    const path = `/v1/admin/compactions/${id}/rollback`;
    const headers = { 'idempotency-key': 'undo-1' };
    expect(await api.ask(`/v1/admin/compactions/${id}/retry`, { method: 'POST' })).toMatchObject({
      status: 409,
      body: { code: 'wrong_state', detail: expect.stringContaining('is compacted') },
    });
    const done = await api.ask(path, { method: 'POST', headers });
    expect(done).toMatchObject({ status: 200, body: { id, status: 'rolled_back', live: false, allowed_actions: [] } });
    const again = await api.ask(path, { method: 'POST', headers });
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await api.ask(path, { method: 'POST' })).status).toBe(409);
    const audit = await api.ask('/v1/admin/audit-log');
    const actions = audit.body.data.map((entry: { action: string }) => entry.action);
    expect(actions).toEqual(expect.arrayContaining(['compaction.requested', 'compaction.rolled_back']));
  });

  it('are asked for of the conversation that was named, or of none', async () => {
    const asked = await api.ask('/v1/admin/streams/talk/compactions', { method: 'POST', body: { item: 3 } });
    expect(asked).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '#/step_id', detail: 'one of: talk:step:answer' }] },
    });
  });

  it('are refused with advice where what the last context depended on is gone, and the step still shows', async () => {
    const runId = await say('gone', 'question 1');
    await api.database.run((sql) => sql`create table kept as select * from payload`);
    await api.database.run((sql) => sql`delete from payload`);
    const asked = await api.ask('/v1/admin/streams/gone/compactions', { method: 'POST', body: {} });
    const step = await api.ask(`/v1/runs/${runId}/steps/answer`);
    const verified = await api.ask(`/v1/admin/streams/gone%3Astep%3Aanswer/verify`, { method: 'POST', body: {} });
    await api.database.run((sql) => sql`insert into payload select * from kept`);
    expect(asked).toMatchObject({
      status: 409,
      body: { code: 'wrong_state', detail: expect.stringContaining('run the step again') },
    });
    expect(step).toMatchObject({ status: 200, body: { context: null } });
    expect(verified).toMatchObject({ status: 200, body: { ok: false, contexts: { corrupt: 1 } } });
  });

  it('are counted in the metrics', async () => {
    const { text } = await api.ask('/metrics', { key: null });
    expect(text).toMatch(/weir_compactions_requested_total\{[^}]*\} 1/);
    expect(text).toMatch(/weir_compactions_applied_total\{[^}]*by="model"[^}]*\} 1/);
    expect(text).toMatch(/weir_compactions_rolled_back_total\{[^}]*\} 1/);
    expect(text).toMatch(/weir_compaction_breakers\{[^}]*state="open"[^}]*\} 0/);
  });
});

describe('a run that stands at its hard cap', () => {
  const tight = (hardCapChars: number) => ({
    name: 'tight',
    inputs: { message: { type: 'string', required: true } },
    defaults: { model: 'scripted:talk', retry: { max_attempts: 1 } },
    context: {
      window: { observation_window: 2, soft_cap_chars: 4_000, hard_cap_chars: hardCapChars, min_tail_turns: 4 },
      compaction: { model: 'scripted:summariser', max_summary_chars: 1_000 },
    },
    agents: { helper: { system_prompt: 'Help.' } },
    steps: [{ id: 'answer', agent: 'helper', task: '${inputs.message}' }],
  });

  async function stuck(streamId: string): Promise<string> {
    await api.ask('/v1/pipelines/tight', { method: 'PUT', body: tight(5_000) });
    let id = '';
    for (const message of ['first', 'second', `third ${'x'.repeat(2_500)}`]) {
      const body = { inputs: { message }, stream_id: streamId };
      id = (await api.ask('/v1/pipelines/tight/runs', { method: 'POST', body })).body.id;
      await api.work();
    }
    return id;
  }

  it('says size, cap, largest parts and knob alike in its event, over the API and on the command line', async () => {
    const id = await stuck('stuck');
    const { data: events } = (await api.ask('/v1/admin/streams/stuck:step:answer/events?types=HardCapExceeded')).body;
    const exceeded = events.at(-1).data;
    expect(exceeded).toMatchObject({
      cap: 5_000,
      contributors: [{ kind: 'user', chars: 2_506 }, { kind: 'assistant' }, {}, {}, {}],
    });
    const run = (await api.ask(`/v1/runs/${id}`)).body;
    expect(run).toMatchObject({ status: 'failed', error: { code: 'over_hard_cap', step_id: 'answer' } });
    for (const said of [exceeded.size, exceeded.cap, exceeded.knob, '(2506 chars)'])
      expect(run.error.detail).toContain(String(said));
    expect((await api.ask(`/v1/runs/${id}/explain`)).body.steps[0].hard_cap).toEqual(exceeded);
    const [line] = (await weir('explain', id, '--json')).lines;
    expect(line.steps[0].hard_cap).toEqual(exceeded);
    const { out } = await weir('explain', id);
    expect(out).toContain('over the hard cap of 5,000');
    expect(out).toMatch(/user +#5 +2,506/);
    expect(out).toContain(`to turn: ${exceeded.knob}`);
  });

  it('goes on when its policy is changed, or when an admin has its last turns summarised', async () => {
    const changed = await stuck('changed');
    await api.ask('/v1/pipelines/tight', { method: 'PUT', body: tight(50_000) });
    expect((await weir('retry', changed, '--live')).code).toBe(0);
    await api.work();
    expect((await api.ask(`/v1/runs/${changed}`)).body.status).toBe('succeeded');

    const freed = await stuck('freed');
    expect((await weir('compactions', 'request', 'freed', '--min-tail-turns', '0')).code).toBe(0);
    await api.work();
    expect((await weir('retry', freed)).code).toBe(0);
    await api.work();
    expect((await api.ask(`/v1/runs/${freed}`)).body.status).toBe('succeeded');
  });
});

describe('weir compactions', () => {
  it('requests, lists, shows with the events behind it, and rolls back', async () => {
    for (const n of [1, 2, 3, 4]) await say('cli', `question ${n}`);
    const asked = await weir('compactions', 'request', 'cli', '--step', 'answer', '--json');
    expect(asked).toMatchObject({ code: 0, lines: [{ event: 'requested', status: 'requested' }] });
    const id: string = asked.lines[0].id;
    await api.work();
    expect((await weir('compactions', '--stream-id', 'cli', '--json')).lines).toMatchObject([
      { event: 'compaction', id, status: 'compacted' },
    ]);
    expect((await weir('compactions', 'list', '--stream-id', 'cli', '--entry', '1')).out).toMatch(
      /COMPACTION[^]*compacted \(live\) +cli:step:answer +#1–#6/,
    );
    const shown = await weir('compactions', 'show', id, '--events');
    expect(shown.out).toContain('The user asked and was answered.');
    expect(shown.out).toMatch(/calls +1/);
    expect(shown.out).toContain('UserMessageReceived');
    expect((await weir('compactions', 'rollback', id)).out).toMatch(/rolled.back/);
    expect((await weir('compactions', 'rollback', id)).code).toBe(1);
    const all = await weir('compactions', 'request', 'cli', '--min-tail-turns', '0', '--json');
    expect(all).toMatchObject({ code: 0, lines: [{ event: 'requested', entries: [1, 8] }] });
    expect((await weir('compactions', 'retry', 'cmp_none')).code).toBe(1);
    expect((await weir('compactions', 'show')).code).toBe(2);
  });
});
