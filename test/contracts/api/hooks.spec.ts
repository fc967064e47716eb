import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { startTestApi, type TestApi } from './test-api.js';

/** Webhooks in: other systems start runs and send signals. */
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const put = (body: { name: string; [key: string]: unknown }) =>
    api.ask(`/v1/pipelines/${body.name}`, { method: 'PUT', body });
  const inputs = { order: { type: 'string', required: true } };
  await put({ name: 'order', inputs, steps: [{ id: 'say', transform: { order: '${inputs.order}' } }] });
  await put({
    name: 'waits',
    inputs,
    steps: [{ id: 'paid', wait_for: { signal: 'paid', key: '${inputs.order}' } }],
    output: '${steps.paid.output.amount}',
  });
});
afterAll(() => api.close());

const ORDERS = { start: { pipeline: 'order', inputs: { order: '${body.order.id}' } } };

async function putHook(name: string, body: object): Promise<{ path: string; secret: string }> {
  const answer = await api.ask(`/v1/hooks/${name}`, { method: 'PUT', body });
  expect(answer.status).toBe(200);
  return answer.body;
}

const deliver = (path: string, body: string | object, headers: Record<string, string>) =>
  api.ask(path, {
    method: 'POST',
    key: null,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

function standard(secret: string, id: string, body: string, at = new Date()): Record<string, string> {
  const signature = new Webhook(secret).sign(id, at, body);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
  };
}

it('starts one run for a delivery, however often and however concurrently it comes', async () => {
  const { path, secret } = await putHook('orders', { verification: { kind: 'standard_webhooks' }, action: ORDERS });
  const body = JSON.stringify({ order: { id: 'A-1' } });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => deliver(path, body, standard(secret, 'msg_1', body))),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  expect(new Set(answers.map((answer) => answer.body.run_id)).size).toBe(1);
  expect(answers.filter((answer) => !answer.body.repeated)).toHaveLength(1);
  const { body: run } = await api.ask(`/v1/runs/${answers[0]?.body.run_id}`);
  expect(run).toMatchObject({ inputs: { order: 'A-1' }, metadata: { hook: { name: 'orders' } } });
  expect((await api.ask('/v1/hooks/orders')).text).not.toContain('whsec_');
});

it('takes nothing that is forged, old or too large, and says nothing of the secret', async () => {
  const { path, secret } = await putHook('guarded', { verification: { kind: 'standard_webhooks' }, action: ORDERS });
  const body = JSON.stringify({ order: { id: 'A-2' } });
  const old = new Date(Date.now() - 360_000);
  for (const headers of [{}, standard(secret, 'm', `${body} `), standard(secret, 'm', body, old)]) {
    const refused = await deliver(path, body, headers);
    expect(refused).toMatchObject({ status: 401, body: { code: 'delivery_unverified' } });
    expect(refused.text).not.toContain(secret);
  }
  const large = JSON.stringify({ order: { id: 'A-2' }, padding: 'x'.repeat(1024 * 1024) });
  expect((await deliver(path, large, standard(secret, 'm', large))).status).toBe(413);
  expect((await deliver(path, '{"order":', standard(secret, 'm', '{"order":'))).status).toBe(400);
  expect((await deliver('/v1/hooks/hook_none', body, {})).status).toBe(404);
  // The name alone says nothing to who has no key of the project.
  expect((await deliver('/v1/hooks/guarded', body, {})).status).toBe(404);
  expect((await api.ask('/v1/hooks/guarded', { method: 'POST', body: { order: { id: 'mine' } } })).status).toBe(202);
  const reader = await api.newKey(['runs:read']);
  expect((await api.ask('/v1/hooks/guarded', { method: 'POST', body: {}, key: reader.token })).status).toBe(403);
});

it('keeps nothing of a delivery that does not fit: mended, it may come again', async () => {
  const hook = { verification: { kind: 'token' }, action: ORDERS, delivery_id: '${headers["x-id"]}' };
  const { path, secret } = await putHook('mended', hook);
  const headers = { authorization: `Bearer ${secret}`, 'x-id': '7' };
  const bad = await deliver(path, { order: 'no object' }, headers);
  expect(bad).toMatchObject({ status: 422, body: { errors: [{ code: 'delivery_unusable' }] } });
  expect(await deliver(path, { order: { id: 'A-3' } }, headers)).toMatchObject({
    status: 202,
    body: { outcome: 'started' },
  });
  expect((await deliver(path, { order: { id: 'A-3' } }, headers)).body.repeated).toBe(true);
  expect((await deliver(path, { order: { id: 'A-3' } }, { authorization: headers.authorization })).status).toBe(422);
});

it('sends the signal that a run waits for, from a sender with an HMAC and a form of its own', async () => {
  const { body: run } = await api.ask('/v1/pipelines/waits/runs', {
    method: 'POST',
    body: { inputs: { order: 'B-1' } },
  });
  await api.work();
  const { path } = await putHook('payments', {
    verification: { kind: 'hmac_sha256', header: 'X-Signature', encoding: 'base64' },
    secret: 'given by the sender'.replaceAll(' ', '-'),
    when: 'body.state == "paid"',
    action: { signal: { name: 'paid', key: '${body.order}', payload: { amount: '${double(body.amount)}' } } },
  });
  const form = (fields: Record<string, string>) => {
    const body = new URLSearchParams(fields).toString();
    const signature = createHmac('sha256', 'given-by-the-sender').update(body).digest('base64');
    return deliver(path, body, { 'content-type': 'application/x-www-form-urlencoded', 'x-signature': signature });
  };
  expect((await form({ order: 'B-1', state: 'open', amount: '12.5' })).body).toMatchObject({
    outcome: 'ignored',
    repeated: false,
  });
  const paid = await form({ order: 'B-1', state: 'paid', amount: '12.5' });
  expect(paid).toMatchObject({ status: 202, body: { outcome: 'signalled', run_id: run.id, repeated: false } });
  expect((await form({ order: 'B-1', state: 'paid', amount: '12.5' })).body).toMatchObject({
    repeated: true,
    signal_id: paid.body.signal_id,
  });
  await api.work();
  expect((await api.ask(`/v1/runs/${run.id}`)).body).toMatchObject({ status: 'succeeded', output: 12.5 });
});

it('takes both secrets while they overlap, keeps its own when it is changed, and refuses bad expressions', async () => {
  const hook = { verification: { kind: 'token' }, action: ORDERS };
  const { path, secret } = await putHook('rotated', hook);
  const rotated = await api.ask('/v1/hooks/rotated/rotate-secret', { method: 'POST', body: { overlap: '1h' } });
  const status = async (token: string) =>
    (await deliver(path, { order: { id: 'C' } }, { authorization: `Bearer ${token}` })).status;
  expect([await status(secret), await status(rotated.body.secret)]).toEqual([202, 202]);
  await api.ask('/v1/hooks/rotated/rotate-secret', { method: 'POST', body: { overlap: '0s' } });
  expect([await status(secret), await status(rotated.body.secret)]).toEqual([401, 401]);
  expect((await putHook('rotated', hook)).secret).toBeNull();
  const bad = { ...hook, when: 'steps.x', action: { start: { pipeline: 'none', inputs: { order: '${body.' } } } };
  const refused = await api.ask('/v1/hooks/rotated', { method: 'PUT', body: bad });
  expect(refused.body.errors.map((error: any) => error.pointer)).toEqual([
    '#/when',
    '#/action/start/pipeline',
    '#/action/start/inputs/order',
  ]);
  const both = { ...hook, action: { ...ORDERS, signal: { name: 'paid', key: 'A' } } };
  expect((await api.ask('/v1/hooks/rotated', { method: 'PUT', body: both })).body.errors).toMatchObject([
    { pointer: '#/action', detail: expect.stringContaining('either { start:') },
  ]);
  expect((await api.ask('/v1/hooks/rotated', { method: 'DELETE' })).status).toBe(204);
  expect((await deliver(path, {}, {})).status).toBe(404);
});
