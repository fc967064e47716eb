import { buryStep } from './bury-step.js';
import { chatPipeline, startTestApi, type TestApi } from './test-api.js';

/** Many runs at once, steps that were given up, and sweeping by hand. */
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('chat', { replies: [{ text: 'Hello.' }], after_last: 'repeat' });
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.ask(path, { method: 'POST', body, headers });

async function start(tag: string): Promise<string> {
  const { body } = await post('/v1/pipelines/chat/runs', { inputs: { message: 'x' }, tags: [tag] });
  return body.id;
}

describe('bulk actions', () => {
  it('do to those that allow it what they said beforehand, page by page, and name the others', async () => {
    const ended = await start('bulk');
    await api.work();
    const open = [await start('bulk'), await start('bulk'), await start('bulk')];
    const other = await start('other');
    const action = { action: 'cancel', filter: { tag: 'bulk' } };
    const planned = await post('/v1/bulk-actions', { ...action, dry_run: true });
    expect(planned.body).toMatchObject({ matched: 4, dry_run: true, has_more: false });
    expect(planned.body.done.toSorted()).toEqual(open.toSorted());
    expect(planned.body.skipped).toEqual([{ run_id: ended, code: 'wrong_state', detail: 'The run is succeeded.' }]);
    expect((await api.ask(`/v1/runs/${open[0]}`)).body.status).not.toBe('cancelled');
    const first = await post('/v1/bulk-actions', { ...action, limit: 2 });
    expect(first.body).toMatchObject({ matched: 2, has_more: true });
    const rest = await post('/v1/bulk-actions', { ...action, limit: 2, cursor: first.body.next_cursor });
    expect([...first.body.done, ...rest.body.done].toSorted()).toEqual(open.toSorted());
    for (const id of open) expect((await api.ask(`/v1/runs/${id}`)).body.status).toBe('cancelled');
    expect((await api.ask(`/v1/runs/${other}`)).body.status).not.toBe('cancelled');
    const elsewhere = await post('/v1/bulk-actions', {
      action: 'pause',
      filter: { tag: 'bulk' },
      cursor: first.body.next_cursor,
    });
    expect(elsewhere.body.code).toBe('cursor_invalid');
    await api.work();
  });

  it('are done once per key, and never to all runs by mistake', async () => {
    const id = await start('once');
    const headers = { 'idempotency-key': 'pause-once' };
    const body = { action: 'pause', filter: { tag: 'once' } };
    const first = await post('/v1/bulk-actions', body, headers);
    expect(first.body.done).toEqual([id]);
    const again = await post('/v1/bulk-actions', body, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await post('/v1/bulk-actions', { action: 'cancel', filter: {} })).status).toBe(422);
    await post('/v1/bulk-actions', { action: 'resume', filter: { tag: 'once' } });
    await api.work();
    expect((await api.ask(`/v1/runs/${id}`)).body.status).toBe('succeeded');
  });
});

describe('dead letters', () => {
  async function dead(): Promise<{ run: string; letter: string }> {
    const run = await start('dead');
    return { run, letter: await buryStep(api, run) };
  }

  it('are tried again, or given up for good', async () => {
    const [first, second] = [await dead(), await dead()];
    const shown = await api.ask(`/v1/admin/dead-letters/${first.letter}`);
    expect(shown.body).toMatchObject({ run_id: first.run, step_id: 'answer', error: { code: 'lease_expiries' } });
    const redriven = await post(`/v1/admin/dead-letters/${first.letter}/redrive`);
    expect(redriven.status).toBe(202);
    await api.work();
    expect((await api.ask(`/v1/runs/${first.run}`)).body.status).toBe('succeeded');
    expect((await post(`/v1/admin/dead-letters/${first.letter}/redrive`)).body.code).toBe('wrong_state');
    const discarded = await post(`/v1/admin/dead-letters/${second.letter}/discard`);
    expect(discarded.body).toMatchObject({ id: second.letter, run_id: second.run, status: 'failed' });
    expect((await api.ask('/v1/admin/dead-letters')).body.data).toEqual([]);
    expect((await api.ask(`/v1/admin/dead-letters/${second.letter}`)).body.code).toBe('dead_letter_not_found');
    const run = (await api.ask(`/v1/runs/${second.run}`)).body;
    expect(run).toMatchObject({ status: 'failed', allowed_actions: ['retry'] });
    expect((await post('/v1/admin/dead-letters/none/discard')).status).toBe(404);
  });

  it('are decided once, whoever decides at the same time', async () => {
    const { run, letter } = await dead();
    const { steps } = (await api.ask(`/v1/runs/${run}/explain`)).body;
    expect(steps[0].next).toContain(`weir dead-letters redrive ${letter}`);
    const verbs = ['redrive', 'discard', 'redrive', 'discard', 'redrive'];
    const answers = await Promise.all(verbs.map((verb) => post(`/v1/admin/dead-letters/${letter}/${verb}`)));
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(verbs.length - 1);
    for (const { body } of refused)
      expect(body.detail).toMatch(/no dead letter; it was redriven or discarded|has ended|is running/);
    await api.work();
  });
});

describe('reconcile', () => {
  it('tells what would be mended, and mends it', async () => {
    const id = await start('lost');
    await api.database.run(
      (sql) =>
        sql`update step_run set status = 'running', fence = fence + 1, worker_id = 'gone', lease_until = now() - interval '1 minute' where run_id = ${id}`,
    );
    expect((await api.ask('/v1/admin/reconcile')).body).toMatchObject({ expired_leases: 1, stuck_runs: 0 });
    expect((await post('/v1/admin/reconcile')).body).toMatchObject({ expired_leases: 1, failures: 0 });
    expect((await api.ask('/v1/admin/reconcile')).body).toMatchObject({ expired_leases: 0 });
    await api.work();
    expect((await api.ask(`/v1/runs/${id}`)).body.status).toBe('succeeded');
  });
});

describe('documents that nobody can read', () => {
  it('are refused with why', async () => {
    const yaml = { 'content-type': 'application/yaml' };
    const deep = await api.ask('/v1/pipelines/validate', { method: 'POST', body: '['.repeat(20_000), headers: yaml });
    expect(deep.body).toMatchObject({
      status: 400,
      code: 'malformed_yaml',
      detail: expect.stringContaining('too deep'),
    });
    const large = await api.ask('/v1/pipelines/chat/runs', {
      method: 'POST',
      body: '{"inputs": {"message": "x"}, "metadata": {"n": 1e400}}',
      headers: { 'content-type': 'application/json' },
    });
    expect(large.body).toMatchObject({
      status: 400,
      code: 'malformed_json',
      detail: expect.stringContaining('too large'),
    });
  });
});
