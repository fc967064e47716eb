import { Webhook } from 'standardwebhooks';
import { WebhookCourier } from '../../../libs/engine/src/index.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';
import { startTestApi, type TestApi } from './test-api.js';

/** Webhooks out: the courier of a worker, run when a test says so, and another system's server. */
let api: TestApi;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  const host = new URL(receiver.url).host;
  api = await startTestApi({ operatorFile: `http: { allowed_hosts: ["${host}"] }` });
  const body = {
    name: 'echo',
    inputs: { text: { type: 'string' } },
    steps: [{ id: 'say', transform: { text: '${inputs.text}' } }],
  };
  await api.ask('/v1/pipelines/echo', { method: 'PUT', body: { ...body, output: '${steps.say.output.text}' } });
});
afterAll(async () => {
  await api.close();
  await receiver.close();
});
beforeEach(async () => {
  receiver.received.length = 0;
  await api.database.sql`delete from webhook_endpoint`;
});

const post = (path: string, body?: unknown, headers = {}) =>
  api.ask(path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });

async function endpoint(more: object = {}): Promise<{ id: string; secret: string }> {
  const created = await post('/v1/webhook-endpoints', { url: receiver.url, ...more });
  expect(created.status).toBe(201);
  return created.body;
}

async function run(text = 'a secret word'): Promise<string> {
  const { body } = await post('/v1/pipelines/echo/runs', { inputs: { text } });
  await api.work();
  return body.id;
}

/** All attempts that are due now, by several workers at once. */
async function deliver(engine = api.engine): Promise<void> {
  const couriers = [new WebhookCourier(engine), new WebhookCourier(engine)];
  const signal = new AbortController().signal;
  await Promise.all(couriers.map((courier) => courier.turn(signal)));
  await Promise.all(couriers.map((courier) => courier.ended()));
}

const makeDue = () => api.database.sql`update webhook_delivery set due_at = now() where status = 'pending'`;
const deliveriesOf = async (id: string, query = '') =>
  (await api.ask(`/v1/webhook-endpoints/${id}/deliveries${query}`)).body.data;

it('sends the end of a run, signed, again under the same id until it is taken', async () => {
  const { id, secret } = await endpoint();
  const runId = await run();
  // Written with the event itself: it is there before anybody looks.
  expect(await deliveriesOf(id)).toMatchObject([
    { status: 'pending', attempts: 0, run_id: runId, event_type: 'RunSucceeded' },
  ]);
  receiver.answer({ status: 503, headers: { 'retry-after': '60' }, body: 'not now' });
  await deliver();
  const [failed] = await deliveriesOf(id);
  expect(failed).toMatchObject({
    status: 'pending',
    attempts: 1,
    last_status: 503,
    last_error: 'answered 503: not now',
  });
  expect(Date.parse(failed.next_attempt_at) - Date.parse(failed.last_attempt_at)).toBeGreaterThan(55_000);
  await makeDue();
  await deliver();
  expect(await deliveriesOf(id, '?status=delivered')).toMatchObject([{ id: failed.id, attempts: 2, last_status: 204 }]);
  expect(receiver.received).toHaveLength(2);
  for (const { headers, body } of receiver.received) {
    expect(headers['webhook-id']).toBe(failed.id);
    const told = new Webhook(secret).verify(body, headers as Record<string, string>) as any;
    expect(told).toMatchObject({
      type: 'RunSucceeded',
      data: { run: { id: runId, pipeline: { name: 'echo', version: 1 } } },
    });
    // What the run made is not told to who did not ask for it.
    expect(body).not.toContain('a secret word');
  }
  expect(receiver.received[0]?.body).toBe(receiver.received[1]?.body);
});

it('tells each endpoint what it asked for, with contents where they were asked for', async () => {
  const whole = await endpoint({ include_content: true });
  await endpoint({ event_types: ['RunCreated', 'RunStarted'] });
  await endpoint({ event_types: ['ApprovalRequested'] });
  await run('the contents');
  await deliver();
  const told = receiver.received.map(({ body }) => JSON.parse(body)).toSorted((a, b) => a.type.localeCompare(b.type));
  expect(told.map(({ type }) => type)).toEqual(['RunCreated', 'RunStarted', 'RunSucceeded']);
  expect(told[2].data.event).toEqual({ output: 'the contents' });
  expect(await deliveriesOf(whole.id)).toHaveLength(1);
  const blind = await api.newKey(['admin:write']);
  const body = { url: receiver.url, include_content: true };
  expect(await api.ask('/v1/webhook-endpoints', { method: 'POST', body, key: blind.token })).toMatchObject({
    status: 403,
    body: { required_scope: 'content:read' },
  });
});

it('signs with both secrets while they overlap, shows each once, and keeps them out of everything else', async () => {
  const once = { 'idempotency-key': 'make' };
  const made = await post('/v1/webhook-endpoints', { url: receiver.url }, once);
  const { id, secret: old } = made.body;
  expect((await post('/v1/webhook-endpoints', { url: receiver.url }, once)).body).toMatchObject({ id, secret: null });
  const { secret: fresh } = (await post(`/v1/webhook-endpoints/${id}/rotate-secret`, { overlap: '1h' })).body;
  expect((await api.ask(`/v1/webhook-endpoints/${id}`)).text).not.toContain('whsec_');
  await post(`/v1/webhook-endpoints/${id}/test`);
  await deliver();
  // At once: the one before does not hold any more.
  const { secret: last } = (await post(`/v1/webhook-endpoints/${id}/rotate-secret`, { overlap: '0s' })).body;
  await post(`/v1/webhook-endpoints/${id}/test`);
  await deliver();
  const verifiers = [old, fresh, last].map((secret: string) => (at: number): boolean => {
    const { headers, body } = receiver.received[at] ?? { headers: {}, body: '' };
    try {
      return (new Webhook(secret).verify(body, headers as Record<string, string>) as any).type === 'WebhookTest';
    } catch {
      return false;
    }
  });
  expect(verifiers.map((verify) => [verify(0), verify(1)])).toEqual([
    [true, false],
    [true, false],
    [false, true],
  ]);
  const rows = await api.database.sql`
    select (select json_agg(a) from audit_log a) as audit, (select json_agg(k) from idempotency_key k) as keys,
      (select json_agg(e.data) from event e) as events, (select json_agg(d) from webhook_delivery d) as deliveries`;
  expect(JSON.stringify(rows)).not.toContain('whsec_');
});

it('gives up in the end, shows what is dead, and sends it again on demand', async () => {
  const { id } = await endpoint();
  await run();
  await api.database.sql`update webhook_delivery set attempt = 12`;
  receiver.answer({ status: 500 });
  await deliver();
  const [dead] = await deliveriesOf(id, '?status=dead');
  expect(dead).toMatchObject({ attempts: 13, next_attempt_at: null, last_error: 'answered 500' });
  expect((await api.ask('/metrics', { key: null })).text).toMatch(/^weir_webhook_deliveries\{.*status="dead".*\} 1$/m);
  const again = await post(`/v1/webhook-endpoints/${id}/redeliver`, { status: 'dead' });
  expect(again).toMatchObject({ status: 202, body: { redelivered: 1 } });
  await deliver();
  expect(await deliveriesOf(id)).toMatchObject([{ id: dead.id, status: 'delivered', attempts: 1 }]);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([dead.id, dead.id]);
});

it('follows no redirect, reaches no private address, and sends nothing more to who is gone', async () => {
  const { id } = await endpoint();
  await post(`/v1/webhook-endpoints/${id}/test`);
  receiver.answer({ status: 307, headers: { location: receiver.url } });
  await deliver();
  expect(receiver.received).toHaveLength(1);
  expect(await deliveriesOf(id)).toMatchObject([{ last_error: 'answered 307 (redirects are not followed)' }]);

  // One that was allowed once: the guard looks at every attempt.
  await api.database.sql`update webhook_endpoint set url = 'http://169.254.169.254/latest'`;
  await makeDue();
  await deliver();
  expect((await deliveriesOf(id))[0].last_error).toContain('private or reserved address');
  for (const url of ['http://example.com/', 'https://user:pass@example.com/', 'ftp://example.com/', 'nowhere'])
    expect((await post('/v1/webhook-endpoints', { url })).body.errors).toMatchObject([{ code: 'url_refused' }]);
  const fault = {
    code: 'url_refused',
    pointer: '#/url',
    detail: expect.stringContaining('private or reserved address'),
  };
  for (const url of ['https://169.254.169.254/latest', 'https://[::1]/', 'https://localhost/']) {
    expect((await post('/v1/webhook-endpoints', { url })).body.errors).toMatchObject([fault]);
    const changed = await api.ask(`/v1/webhook-endpoints/${id}`, { method: 'PATCH', body: { url } });
    expect(changed.body.errors).toMatchObject([fault]);
  }

  await api.ask(`/v1/webhook-endpoints/${id}`, { method: 'PATCH', body: { url: receiver.url } });
  await makeDue();
  receiver.answer({ status: 410 });
  await deliver();
  const { body: gone } = await api.ask(`/v1/webhook-endpoints/${id}`);
  expect(gone).toMatchObject({ enabled: false, disabled_reason: 'it answered 410 Gone', failures: 3 });
  await run();
  expect(await deliveriesOf(id)).toHaveLength(1);
  expect((await post(`/v1/webhook-endpoints/${id}/test`)).status).toBe(409);
  const enabled = await api.ask(`/v1/webhook-endpoints/${id}`, { method: 'PATCH', body: { enabled: true } });
  expect(enabled.body).toMatchObject({ enabled: true, failures: 0, failing_since: null });
});

it('is disabled after days in which nothing was taken, and not before', async () => {
  const { id } = await endpoint();
  const failOnce = async () => {
    receiver.answer({ status: 500 });
    await post(`/v1/webhook-endpoints/${id}/test`);
    await deliver();
    return (await api.ask(`/v1/webhook-endpoints/${id}`)).body.enabled;
  };
  await api.database.sql`update webhook_endpoint set failures = 50, failing_since = now() - interval '71 hours'`;
  expect(await failOnce()).toBe(true);
  await api.database.sql`update webhook_endpoint set failing_since = now() - interval '73 hours'`;
  expect(await failOnce()).toBe(false);
  const [entry] = await api.database
    .sql`select action, actor from audit_log where subject = ${id} order by audit_id desc limit 1`;
  expect({ ...entry }).toEqual({ action: 'webhook_endpoint.disabled', actor: 'weir' });
});

it('takes over what a worker that died left, and lets no late report count', async () => {
  const { id } = await endpoint();
  await post(`/v1/webhook-endpoints/${id}/test`);
  const claim = { limit: 10, perEndpoint: 4, busy: [], leaseMs: 60_000 };
  const [taken] = await api.engine.runs.claimDeliveries(claim);
  expect(await api.engine.runs.claimDeliveries(claim)).toEqual([]);
  await makeDue();
  await deliver();
  const late = { projectId: taken?.projectId ?? '', deliveryId: taken?.deliveryId ?? '', endpointId: id, attempt: 1 };
  const outcome = { kind: 'failed', status: null, retryAfterMs: null } as const;
  await api.engine.runs.storeDeliveryResult({ ...late, outcome, next: { kind: 'dead' }, error: 'late' });
  expect(await deliveriesOf(id)).toMatchObject([{ status: 'delivered', attempts: 2, last_error: null }]);
});
