import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { runDueSchedules } from '../../../libs/engine/src/index.js';
import { waitFor } from '../../support/index.js';
import { startShapeStage, type ShapeStage } from './shape-stage.js';

/** Ten shapes that real workflows have, each as its example in `pipelines/shapes`, over the API, Postgres, the queue and a worker. */
let stage: ShapeStage;
beforeAll(async () => {
  stage = await startShapeStage();
});
afterAll(() => stage.close());
beforeEach(() => void (stage.others.received.length = 0));

const paths = () => stage.others.received.map(({ method, path }) => `${method} ${path}`);
const json = (body: unknown) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

it('1. tools one after the other, with a person in between', async () => {
  await stage.apply('refund');
  stage.others.answer(json({ total: 40 }), json({ refund: 'r-1' }));
  const run = await stage.start('refund', { order: 'o-7' });
  expect(await stage.run(run)).toMatchObject({ status: 'waiting', status_reason: 'approval' });
  expect(paths()).toEqual(['GET /orders/o-7']);
  await stage.decide(run, { decision: 'approve', form: { amount: 25 } });
  expect(await stage.run(run)).toMatchObject({ status: 'succeeded', output: { refund: 'r-1' } });
  expect(JSON.parse(stage.others.received[1]?.body ?? '')).toEqual({ order: 'o-7', amount: 25 });
  expect(stage.others.received[1]?.headers).toHaveProperty('idempotency-key');
  // Denied: nothing is paid.
  stage.others.answer(json({ total: 1 }));
  const denied = await stage.start('refund', { order: 'o-8' });
  await stage.decide(denied, { decision: 'deny' });
  expect(await stage.run(denied)).toMatchObject({ status: 'succeeded', output: null });
  expect(paths()).toEqual(['GET /orders/o-7', 'POST /refunds', 'GET /orders/o-8']);
});

it('2. a schedule, an agent, another, and a webhook out that is repeated until it is taken', async () => {
  await stage.apply('daily-brief');
  stage.api.scripts.set('daily-brief', {
    steps: { collect: [{ text: 'It rained.' }], brief: [{ text: 'Rain: {{last_user}}' }] },
  });
  const endpoint = await stage.post('/v1/webhook-endpoints', { url: stage.others.url, include_content: true });
  const start = { pipeline: 'daily-brief', inputs: { day: '${tick.date}' } };
  const schedule = { cron: '0 6 * * *', timezone: 'Europe/Berlin', start };
  await stage.api.ask('/v1/schedules/brief', { method: 'PUT', body: schedule });
  await stage.api.database.sql`update schedule set next_at = date_trunc('second', now()) where name = 'brief'`;
  await Promise.all([1, 2, 3].map(() => runDueSchedules(stage.api.engine)));
  await runDueSchedules(stage.api.engine);
  await stage.api.work();
  stage.others.answer({ status: 502 });
  await waitFor(() => stage.others.received.length === 1, { what: 'the first delivery' });
  // As if the time to the second attempt were over.
  await waitFor(async () => {
    await stage.api.database.sql`
      update webhook_delivery set due_at = now() where status = 'pending' and last_attempt_at is not null`;
    return stage.others.received.length === 2;
  });
  expect(stage.others.received).toHaveLength(2);
  const [first, second] = stage.others.received;
  expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id']);
  const told = new Webhook(endpoint.secret).verify(second?.body ?? '', second?.headers as Record<string, string>);
  expect(told).toMatchObject({ type: 'RunSucceeded', data: { event: { output: 'Rain: It rained.' } } });
  await stage.api.ask(`/v1/webhook-endpoints/${endpoint.id}`, { method: 'DELETE' });
});

it('3. waits for another system’s webhook, by a key', async () => {
  await stage.apply('ship-when-paid');
  const hook = await stage.api.ask('/v1/hooks/payments', {
    method: 'PUT',
    body: {
      verification: { kind: 'hmac_sha256', header: 'x-signature' },
      when: 'body.event == "paid"',
      action: { signal: { name: 'order-paid', key: '${body.order}', payload: { amount: '${body.amount}' } } },
    },
  });
  const runs = [
    await stage.start('ship-when-paid', { order: 'a' }),
    await stage.start('ship-when-paid', { order: 'b' }),
  ];
  const body = JSON.stringify({ event: 'paid', order: 'b', amount: 9.5 });
  const headers = { 'x-signature': createHmac('sha256', hook.body.secret).update(body).digest('hex') };
  const deliver = () =>
    stage.api.ask(hook.body.path, {
      method: 'POST',
      key: null,
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  stage.others.answer(json({ parcel: 'p-1' }));
  expect((await deliver()).body).toMatchObject({ outcome: 'signalled', run_id: runs[1] });
  expect((await deliver()).body).toMatchObject({ repeated: true });
  await stage.api.work();
  const [waiting, shipped] = await Promise.all(runs.map((run) => stage.run(run)));
  expect(waiting).toMatchObject({ status: 'waiting', status_reason: 'signal' });
  expect(shipped).toMatchObject({ status: 'succeeded', output: { amount: 9.5, shipment: { parcel: 'p-1' } } });
  expect(paths()).toEqual(['POST /shipments']);
});

it('4. a router, four branches of which one runs, one output', async () => {
  await stage.apply('help-desk');
  const desks = ['billing', 'orders', 'returns', 'other'];
  for (const desk of desks) {
    stage.api.scripts.set('help-desk', {
      steps: {
        route: [{ text: JSON.stringify({ desk }) }],
        ...Object.fromEntries(desks.map((name) => [name, [{ text: `from ${name}` }]])),
        answer: [{ text: 'Dear customer, {{last_user}}' }],
      },
    });
    const run = await stage.run(await stage.start('help-desk', { message: 'Where is it?' }));
    expect(run).toMatchObject({ status: 'succeeded', output: { desk, answer: `Dear customer, from ${desk}` } });
    const skipped = run.steps.filter((step: any) => step.status === 'skipped').map((step: any) => step.id);
    expect(skipped.toSorted()).toEqual(desks.filter((name) => name !== desk).toSorted());
  }
});

it('5. split, worked on side by side, joined in order', async () => {
  await stage.apply('chapters');
  stage.api.scripts.set('chapters', async ({ position }) => {
    // The first ones end last.
    await new Promise((resolve) => setTimeout(resolve, 30 * (4 - (position.item ?? 0))));
    return { text: `<{{last_user}}>` };
  });
  const run = await stage.run(await stage.start('chapters', { text: 'one\n\ntwo\n\nthree\n\nfour' }));
  expect(run).toMatchObject({ status: 'succeeded', output: '<one>\n<two>\n<three>\n<four>' });
});

it('6. a model’s list, each element of it worked on', async () => {
  await stage.apply('research');
  stage.api.scripts.set('research', ({ position }) => {
    if (position.stepId === 'plan') return { text: '{"questions": ["why", "when", "who"]}' };
    return position.item === 1 ? { failure: { class: 'invalid_request' } } : { text: 'because of {{last_user}}' };
  });
  const run = await stage.run(await stage.start('research', { topic: 'rivers' }));
  expect(run.status).toBe('succeeded');
  expect(run.output.map((item: any) => item.status)).toEqual(['succeeded', 'failed', 'succeeded']);
  expect([run.output[0].output, run.output[2].output]).toEqual(['because of why', 'because of who']);
});

it('7. a conversation with a memory, over runs', async () => {
  await stage.apply('companion');
  const seen: string[] = [];
  stage.api.scripts.set('companion', ({ position, request }) => {
    seen.push(JSON.stringify(request.messages));
    if (seen.length === 1 && position.callNo === 1)
      return { tool_calls: [{ name: 'memory_write', arguments: { key: 'name', value: 'Ada' } }] };
    return { text: `answer ${seen.length}` };
  });
  const talk = { stream_id: 'talk-1' };
  const first = await stage.run(await stage.start('companion', { message: 'I am Ada.' }, talk));
  expect(first).toMatchObject({ status: 'succeeded', output: 'answer 2' });
  const second = await stage.run(await stage.start('companion', { message: 'Who am I?' }, talk));
  expect(second).toMatchObject({ status: 'succeeded', output: 'answer 3' });
  // The second run sees what was said and what was written down in the first.
  for (const text of ['I am Ada.', 'answer 2', 'Who am I?']) expect(seen[2]).toContain(text);
  const other = await stage.run(await stage.start('companion', { message: 'Hello' }, { stream_id: 'talk-2' }));
  expect(other.status).toBe('succeeded');
  expect(seen[3]).not.toContain('Ada');
});

it('8. scored side by side, decided by a person, told side by side', async () => {
  await stage.apply('candidates');
  stage.api.scripts.set('candidates', ({ position }) => ({
    text: JSON.stringify({ score: 10 - (position.item ?? 0) }),
  }));
  stage.others.answer(...['a', 'b'].map(() => json({ sent: true })));
  const applications = ['ann', 'bob', 'cy'].map((name) => ({ name, text: `I am ${name}.` }));
  const run = await stage.start('candidates', { applications });
  const asked = await stage.api.ask(`/v1/approvals?run_id=${run}`);
  expect(asked.body.data[0].prompt).toContain('[{"score":10},{"score":9},{"score":8}]');
  await stage.decide(run, { decision: 'approve', form: { invite: ['ann', 'cy'] } });
  expect(await stage.run(run)).toMatchObject({ status: 'succeeded', output: { invited: ['ann', 'cy'] } });
  const mails = stage.others.received.map(({ body }) => JSON.parse(body).to);
  expect(mails.toSorted()).toEqual(['ann', 'cy']);
  const keys = new Set(stage.others.received.map(({ headers }) => headers['idempotency-key']));
  expect(keys.size).toBe(2);
});

it('9. another model when the first one fails', async () => {
  stage.api.scripts.set('first', () => ({ failure: { class: 'authentication' } }));
  stage.api.scripts.set('steady', [{ text: 'the second one says so' }]);
  await stage.apply('steady', 'scripted:steady', 'scripted:first');
  const run = await stage.run(await stage.start('steady', { question: 'Does it work?' }));
  expect(run).toMatchObject({ status: 'succeeded', output: 'the second one says so' });
  expect(stage.api.scripts.calls('first')).toHaveLength(1);
});

it('10. a tool whose real result comes later', async () => {
  await stage.apply('lab-report');
  stage.api.scripts.set('lab-report', [
    { tool_calls: [{ id: 'call_x', name: 'analyse', arguments: { sample: 's-1' } }] },
    { text: 'The laboratory says: {{last_tool_result}}' },
  ]);
  stage.others.answer(json({ receipt: 1 }));
  const run = await stage.start('lab-report', { sample: 's-1' });
  expect((await stage.run(run)).status).toBe('waiting');
  const header = (name: string): string => String(stage.others.received[0]?.headers[name]);
  const step = `/v1/runs/${header('weir-run-id')}/steps/${header('weir-step-id')}`;
  const place = `${step}/calls/${header('weir-call')}/result`;
  const id = decodeURIComponent(header('weir-tool-call-id'));
  await stage.post(place, { tool_call_id: id, content: 'pure gold' });
  await stage.api.work();
  expect(await stage.run(run)).toMatchObject({ status: 'succeeded', output: 'The laboratory says: pure gold' });
});
