import { startTestApi, type TestApi } from './test-api.js';

/** What people and other systems do with a run that waits. */
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await api.ask('/v1/pipelines/asks', {
    method: 'PUT',
    body: {
      name: 'asks',
      steps: [
        { id: 'ask', approval: { prompt: 'Send it?', form: { type: 'object', required: ['to'] } } },
        { id: 'paid', depends_on: ['ask'], wait_for: { signal: 'paid', key: '${run.id}' } },
      ],
      output: '${[steps.ask.output.form.to, steps.paid.output]}',
    },
  });
});
afterAll(() => api.close());

async function started(start: object = {}): Promise<string> {
  const { body } = await api.ask('/v1/pipelines/asks/runs', { method: 'POST', body: start });
  await api.work();
  return body.id;
}

it('shows what is asked, takes one decision, then a signal, and ends with both', async () => {
  const run = await started();
  const asked = await api.ask(`/v1/approvals?status=pending&run_id=${run}`);
  expect(asked.body.data).toMatchObject([
    { kind: 'step', prompt: 'Send it?', run_id: run, step_id: 'ask', decision: null },
  ]);
  const [{ id }] = asked.body.data;
  expect((await api.ask(`/v1/runs/${run}`)).body).toMatchObject({
    status: 'waiting',
    status_reason: 'approval',
    blocked_on: [{ kind: 'approval', id }],
  });
  const path = `/v1/approvals/${id}/decision`;
  const decide = (body: object, headers = {}) => api.ask(path, { method: 'POST', body, headers });
  expect(await decide({ decision: 'approve', form: {} })).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', errors: [{ in: 'body', pointer: '#/form' }] },
  });
  const once = { 'idempotency-key': 'd1' };
  const first = await decide({ decision: 'approve', form: { to: 'x' } }, once);
  expect(first).toMatchObject({ status: 200, body: { status: 'approved', decision: { form: { to: 'x' } } } });
  const again = await decide({ decision: 'approve', form: { to: 'x' } }, once);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await decide({ decision: 'deny' })).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
  await api.work();
  const sent = await api.ask('/v1/signals/paid', { method: 'POST', body: { key: run, payload: { amount: 3 } } });
  expect(sent).toMatchObject({ status: 202, body: { run_id: run } });
  await api.work();
  expect((await api.ask(`/v1/runs/${run}`)).body).toMatchObject({ status: 'succeeded', output: ['x', { amount: 3 }] });
});

it('lets only keys decide that may, and shows prompts to those who may see them', async () => {
  const run = await started();
  const reader = await api.newKey(['runs:read']);
  const { body } = await api.ask(`/v1/approvals?run_id=${run}`, { key: reader.token });
  expect(body.data).toMatchObject([{ prompt: null, arguments: null }]);
  const path = `/v1/approvals/${body.data[0].id}/decision`;
  expect(await api.ask(path, { method: 'POST', key: reader.token, body: { decision: 'deny' } })).toMatchObject({
    status: 403,
    body: { required_scope: 'approvals:decide' },
  });
  const decider = await api.newKey(['approvals:decide']);
  expect((await api.ask(path, { method: 'POST', key: decider.token, body: { decision: 'deny' } })).status).toBe(200);
  expect((await api.ask('/v1/approvals/apr_none', {})).status).toBe(404);
});

it('pauses and resumes, and says what is allowed', async () => {
  const run = await started();
  const paused = await api.ask(`/v1/runs/${run}/pause`, { method: 'POST', body: { reason: 'lunch' } });
  expect(paused).toMatchObject({ status: 202, body: { paused: true, allowed_actions: ['cancel', 'resume'] } });
  const resumed = await api.ask(`/v1/runs/${run}/resume`, { method: 'POST', body: { spend_limit: { tokens: 5 } } });
  expect(resumed).toMatchObject({ status: 202, body: { paused: false, allowed_actions: ['cancel', 'pause'] } });
  await api.ask(`/v1/runs/${run}/cancel`, { method: 'POST' });
  expect((await api.ask(`/v1/runs/${run}/pause`, { method: 'POST' })).status).toBe(409);
});

it('resumes with the bounds that are given; the others of its spend limit stay as they are', async () => {
  const run = await started({ spend_limit: { tokens: 100, tool_calls: 7, on_exceeded: 'fail' } });
  const body = { spend_limit: { cost_usd: 2, tool_calls: null } };
  expect((await api.ask(`/v1/runs/${run}/resume`, { method: 'POST', body })).status).toBe(202);
  await api.ask(`/v1/runs/${run}/cancel`, { method: 'POST' });
  const changed = (await api.feedOf(run)).filter(({ type }) => type === 'SpendLimitChanged');
  expect(changed).toMatchObject([
    { data: { spend_limit: { tokens: 100, cost_usd: 2, tool_calls: null, on_exceeded: 'fail' } } },
  ]);
});
