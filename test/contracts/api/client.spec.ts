import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import {
  createWeirClient,
  dataOf,
  followRun,
  ServerProblem,
  ServerUnreachable,
  type RunNews,
} from '../../../libs/client/src/index.js';
import { describeApi } from '../../../apps/api/src/openapi/describe-api.js';
import { chatPipeline, startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('chat', { replies: [{ text: 'Hello.' }], after_last: 'repeat' });
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

describe('the generated client', () => {
  it('is generated from the document that the API serves (if not: npm run client:generate)', async () => {
    const stored: unknown = JSON.parse(readFileSync('libs/client/openapi.json', 'utf8'));
    expect(JSON.parse(JSON.stringify(await describeApi('v1')))).toEqual(stored);
    const { info: _servedInfo, ...served } = JSON.parse(JSON.stringify(api.document));
    const { info: _storedInfo, ...kept } = stored as { info: unknown };
    expect(served).toEqual(kept);
  });

  it('starts a run and follows it to its end', async () => {
    const client = createWeirClient({ url: api.url, apiKey: api.token });
    const started = await dataOf(
      client.api.POST('/v1/pipelines/{name}/runs', {
        params: { path: { name: 'chat' } },
        body: { inputs: { message: 'hi' } },
      }),
    );
    const news: RunNews[] = [];
    const following = (async () => {
      for await (const item of followRun(client, started.id)) news.push(item);
    })();
    await api.work();
    await following;
    expect(news[0]).toMatchObject({ kind: 'snapshot', run: { id: started.id } });
    expect(news.at(-1)).toMatchObject({ kind: 'end', status: 'succeeded' });
    const events = news.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
    expect(events).toEqual(await api.feedOf(started.id));
  });

  it('follows over connections that break after every frame, and sees each event once', async () => {
    const client = createWeirClient({ url: api.url, apiKey: api.token });
    const started = await dataOf(
      client.api.POST('/v1/pipelines/{name}/runs', {
        params: { path: { name: 'chat' } },
        body: { inputs: { message: 'hi' } },
      }),
    );
    await api.work();
    const breaking = createWeirClient({ url: api.url, apiKey: api.token, fetch: breakAfterFirstEvent });
    const seen: string[] = [];
    for await (const item of followRun(breaking, started.id)) if (item.kind === 'event') seen.push(item.event.event_id);
    expect(seen).toEqual((await api.feedOf(started.id)).map((event) => event.event_id));
  });

  it('rejects with the problem of the server, faults included', async () => {
    const client = createWeirClient({ url: api.url, apiKey: api.token });
    const refused = client.api.POST('/v1/pipelines/{name}/runs', {
      params: { path: { name: 'chat' } },
      body: { inputs: {} },
    });
    await expect(refused).rejects.toThrow(ServerProblem);
    await expect(refused).rejects.toMatchObject({
      status: 422,
      code: 'invalid_inputs',
      message: expect.stringContaining('#/inputs/message'),
    });
    await expect(client.open('/v1/runs/none/stream')).rejects.toMatchObject({ status: 404, code: 'run_not_found' });
  });

  it('says who did not answer, and shows what is not a problem of ours', async () => {
    const proxy = createServer((_request, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const behind = createWeirClient({ url: `http://127.0.0.1:${port}`, apiKey: null });
    await expect(behind.api.GET('/version')).rejects.toMatchObject({
      status: 502,
      code: 'unexpected_answer',
      message: expect.stringContaining('Bad gateway'),
    });
    await new Promise((resolve) => proxy.close(resolve));
    await expect(behind.api.GET('/version')).rejects.toThrow(ServerUnreachable);
    await expect(behind.open('/version')).rejects.toThrow(new RegExp(`127\\.0\\.0\\.1:${port}.*ECONNREFUSED`));
  });
});

/** A network that cuts an event stream behind its first event (or its end). */
const breakAfterFirstEvent: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const text = await response.text();
  const frames = text.split('\n\n');
  const first = frames.findIndex((frame) => /^event: (event|end)/m.test(frame));
  const body = `${frames.slice(0, first + 1).join('\n\n')}\n\n`;
  return new Response(body, { status: response.status, headers: response.headers });
};
