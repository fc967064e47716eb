import { connect } from 'node:net';
import { describeRedis, waitFor } from '../../support/index.js';
import { chatPipeline, startTestApi, type TestApi } from './test-api.js';
import { openSse } from './read-sse.js';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ keepAliveMs: 50 });
  api.scripts.set('chat', [{ text: 'Hello.' }]);
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

async function start(): Promise<string> {
  const { status, body } = await api.ask('/v1/pipelines/chat/runs', {
    method: 'POST',
    body: { inputs: { message: 'hi' } },
  });
  expect(status).toBe(202);
  return body.id;
}

const streamOf = (run: string) => `${api.url}/v1/runs/${run}/stream`;

describe('the event stream of a run', () => {
  it('begins with a snapshot, sends events as they come, and ends', async () => {
    const run = await start();
    const client = await openSse(streamOf(run), api.token);
    await waitFor(() => client.ofType('event').length > 0);
    expect(client.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(client.headers.get('x-request-id')).not.toBeNull();
    expect(client.frames[0]).toMatchObject({ event: 'snapshot', id: null, data: { id: run, status: 'running' } });
    await api.work();
    await client.untilClosed();
    expect(client.frames.at(-1)).toMatchObject({
      event: 'end',
      id: null,
      data: { run_id: run, status: 'succeeded', cursor: client.lastId },
    });
    expect(client.ofType('event').map((frame) => frame.data)).toEqual(await api.feedOf(run));
    for (const { id, data } of client.ofType('event')) expect(id).toBe(data.cursor);
  });

  it('replays a finished run and ends', async () => {
    const run = await start();
    await api.work();
    const client = await openSse(streamOf(run), api.token);
    await client.untilClosed();
    expect(client.ofType('event').map((frame) => frame.data.type)).toEqual(
      expect.arrayContaining(['RunCreated', 'LlmCallCompleted', 'RunSucceeded']),
    );
    expect(client.frames.at(-1)?.event).toBe('end');
  });

  it('goes on after Last-Event-ID: over many broken connections each event is seen once', async () => {
    const run = await start();
    await api.work();
    const all = (await api.feedOf(run)).map(({ cursor }) => cursor);
    const seen: string[] = [];
    let last: string | null = null;
    for (let at = 0; at < all.length; at += 1) {
      const client = await openSse(streamOf(run), api.token, last);
      await waitFor(() => client.ofType('event').length > 0);
      const [first] = client.ofType('event');
      // The connection breaks after one event: what came behind it was not processed.
      seen.push(first?.id ?? '');
      last = first?.id ?? null;
      await client.close();
    }
    expect(seen).toEqual(all);
    const atEnd = await openSse(streamOf(run), api.token, last);
    await atEnd.untilClosed();
    expect(atEnd.frames.map((frame) => frame.event)).toEqual(['snapshot', 'end']);
  });

  it('takes a cursor as `after` too, and `after` pages through the list', async () => {
    const run = await start();
    await api.work();
    await api.feedOf(run);
    const paged: string[] = [];
    let after = '';
    for (;;) {
      const page = await api.ask(`/v1/runs/${run}/events?limit=3${after === '' ? '' : `&after=${after}`}`);
      paged.push(...page.body.data.map((event: { type: string }) => event.type));
      after = page.body.next_cursor;
      if (!page.body.has_more) break;
    }
    const whole = await api.ask(`/v1/runs/${run}/events`);
    expect(paged).toEqual(whole.body.data.map((event: { type: string }) => event.type));
    const client = await openSse(`${streamOf(run)}?after=${after}`, api.token);
    await client.untilClosed();
    expect(client.ofType('event')).toEqual([]);
    const only = await api.ask(`/v1/runs/${run}/events?types=RunCreated,RunSucceeded`);
    expect(only.body.data.map((event: { type: string }) => event.type)).toEqual(['RunCreated', 'RunSucceeded']);
  });

  it('sends comments while nothing happens', async () => {
    const run = await start();
    const client = await openSse(streamOf(run), api.token);
    await waitFor(() => client.comments >= 2);
    await client.close();
    await api.work();
  });

  it('withholds data that holds content, and deltas, from keys without content:read', async () => {
    const run = await start();
    const reader = await api.newKey(['runs:read']);
    const client = await openSse(streamOf(run), reader.token);
    await waitFor(() => client.ofType('event').length > 0);
    await api.engine.wakeups.publishDelta({ runId: run, stepId: 'answer', item: null, callNo: 1, text: 'secret' });
    await api.work();
    await client.untilClosed();
    expect(client.frames[0]?.data).toMatchObject({ inputs: null, output: null, metadata: null });
    const byType = new Map(client.ofType('event').map((frame) => [frame.data.type, frame.data.data]));
    expect(byType.get('UserMessageReceived')).toBeNull();
    expect(byType.get('LlmCallCompleted')).toBeNull();
    expect(byType.get('RunCreated')).toBeNull();
    expect(byType.get('LlmCallStarted')).toMatchObject({ call_no: 1 });
    expect(client.ofType('delta')).toEqual([]);
    expect(JSON.stringify(client.frames)).not.toMatch(/"hi"|Hello\.|secret/);
  });

  it('drops a client that does not read, and nobody waits for it', async () => {
    // Some MB of events: more than the sockets between hold, and more than the API keeps for one client.
    const steps = Array.from({ length: 16 }, (_, at) => ({ id: `s${at}`, agent: 'chat', task: '${inputs.message}' }));
    api.scripts.set('long', { replies: [{ text: 'Yes.' }], after_last: 'repeat' });
    const applied = await api.ask('/v1/pipelines/long', {
      method: 'PUT',
      body: { ...chatPipeline('long', 'long'), steps, output: 1, context: { preset: 'coding_agent' } },
    });
    expect(applied.status).toBe(201);
    const { body } = await api.ask('/v1/pipelines/long/runs', {
      method: 'POST',
      body: { inputs: { message: 'x'.repeat(590_000) } },
    });
    await api.work();
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(
      `GET /v1/runs/${body.id}/stream HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${api.token}\r\n\r\n`,
    );
    await waitFor(async () =>
      /weir_event_streams_closed_total\{[^}]*why="lagged"[^}]*\} 1/.test((await api.ask('/metrics')).text),
    );
    let received = '';
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.resume();
    await closed;
    expect(received).toContain('event: snapshot');
    expect(received).not.toContain('"type":"RunSucceeded"');
    expect((await api.ask(`/v1/runs/${body.id}`)).body.status).toBe('succeeded');
  });
});

describeRedis('deltas', () => {
  it('arrive without an id and are not replayed', async () => {
    const run = await start();
    const client = await openSse(streamOf(run), api.token);
    await waitFor(() => client.ofType('event').length > 0);
    await waitFor(async () => {
      await api.engine.wakeups.publishDelta({ runId: run, stepId: 'answer', item: null, callNo: 1, text: 'Hel' });
      return client.ofType('delta').length > 0;
    });
    expect(client.ofType('delta')[0]).toEqual({
      event: 'delta',
      id: null,
      data: { run_id: run, step_id: 'answer', item: null, call: 1, text: 'Hel' },
    });
    await api.work();
    await client.untilClosed();
    const again = await openSse(streamOf(run), api.token);
    await again.untilClosed();
    expect(again.ofType('delta')).toEqual([]);
  });
});

describe('a shutdown', () => {
  it('ends event streams so that clients go on at another process', async () => {
    const other = await startTestApi();
    try {
      other.scripts.set('chat', [{ text: 'Hello.' }]);
      await other.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
      const { body } = await other.ask('/v1/pipelines/chat/runs', {
        method: 'POST',
        body: { inputs: { message: 'hi' } },
      });
      const client = await openSse(`${other.url}/v1/runs/${body.id}/stream`, other.token);
      await waitFor(() => client.ofType('event').length > 0);
      other.shutDown();
      await client.untilClosed();
      expect(client.ofType('end')).toEqual([]);
      expect((await other.ask('/health/ready')).body).toMatchObject({ status: 503, code: 'not_ready' });
      expect((await other.ask('/health/live')).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
