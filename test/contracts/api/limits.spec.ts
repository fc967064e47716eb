import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { StreamSlots } from '../../../apps/api/src/events/stream-slots.js';
import { answerBadSocket } from '../../../apps/api/src/http/early-problems.js';
import { HOME, startTestApi, type Answer, type TestApi } from './test-api.js';

/** What the table "Limits" of docs/guide/api.md says of requests: each is exceeded here, and the answer says where. */
let api: TestApi;
beforeAll(async () => (api = await startTestApi()));
afterAll(() => api.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const YAML_TYPE = { 'content-type': 'application/yaml' };
const validate = (body: unknown, headers: Record<string, string> = JSON_TYPE): Promise<Answer> =>
  api.ask('/v1/pipelines/validate', { method: 'POST', body, headers });
const nested = (levels: number): string => `{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`;

async function expectRefused(answer: Answer, status: number, code: string, detail: RegExp): Promise<void> {
  expect(`${answer.status} ${answer.body?.code} ${answer.body?.detail}`).toMatch(
    new RegExp(`^${status} ${code} .*${detail.source}`),
  );
}

describe('a body', () => {
  it('has at most 10 MiB, also when it does not say how long it is', async () => {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${api.token}`, 'transfer-encoding': 'chunked' };
    const asked = request(new URL('/v1/pipelines/validate', api.url), { method: 'POST', headers });
    const answered = once(asked, 'response');
    asked.write(Buffer.alloc(10 * 1024 * 1024 + 1, ' '));
    const [response] = (await answered) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    expect(await json(response)).toMatchObject({ code: 'body_too_large', detail: 'The body may have at most 10 MiB.' });
    asked.destroy();
  });

  it('is not compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000, ' ')).toString('latin1');
    const answer = await validate(bomb, { ...JSON_TYPE, 'content-encoding': 'gzip' });
    await expectRefused(answer, 415, 'media_type_unsupported', /compressed \(Content-Encoding: gzip\)/);
  });

  it('has at most 500 levels, and a document 40, with the place', async () => {
    await expectRefused(await validate(nested(501)), 400, 'malformed_json', /over 500 levels deep \(at \/name\/0/);
    const answer = await validate(nested(100));
    expect(answer.body).toMatchObject({ status: 422, code: 'pipeline_invalid' });
    expect(answer.body.errors[0]).toMatchObject({ code: 'document_too_large', path: 'name[0][0][0]' });
  });

  it('as YAML has at most 150,000 marks, a hundred aliases and no tags', async () => {
    const many = await validate('- 1\n'.repeat(40_000), YAML_TYPE);
    await expectRefused(many, 400, 'malformed_yaml', /too many keys and values for YAML; send them as JSON/);
    const laughs = Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]`);
    const bomb = await validate(['a0: &a0 [ha, ha]', ...laughs].join('\n'), YAML_TYPE);
    await expectRefused(bomb, 400, 'malformed_yaml', /aliases unfold into too much/);
    const tagged = await validate('name: chat\nsteps: !!js/function "x"\n', YAML_TYPE);
    await expectRefused(tagged, 400, 'malformed_yaml', /at line 2, column 8: Unresolved tag/);
    expect(tagged.body.errors).toMatchObject([{ in: 'body', line: 2, column: 8, code: 'tag_resolve_failed' }]);
  });

  it('with a hundred thousand faults is answered with a hundred', async () => {
    const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`${'k'.repeat(50)}${n}`, 1]));
    const answer = await api.ask('/v1/pipelines/none/runs', { method: 'POST', body });
    expect(answer.body).toMatchObject({ status: 422, detail: '100000 faults in the body of the request.' });
    expect(answer.body.errors).toHaveLength(100);
    expect(answer.text.length).toBeLessThan(50_000);
  });

  it('as a recording has a message to play', async () => {
    for (const [body, pointer] of [
      [[], '#'],
      [{ messages: [] }, '#/messages'],
    ] as const) {
      const answer = await api.ask('/v1/recordings/x', { method: 'PUT', body });
      expect(answer.body).toMatchObject({
        status: 422,
        errors: [{ pointer, detail: expect.stringMatching(/at least one message/) }],
      });
    }
    expect((await api.ask('/v1/recordings/x')).status).toBe(404);
  });
});

describe('a request', () => {
  it('has at most 16 KiB of headers', async () => {
    const answer = await api.ask('/v1/runs', { headers: { 'x-long': 'x'.repeat(20_000) } });
    await expectRefused(answer, 431, 'headers_too_large', /headers of the request are too large/);
  });

  it('has a minute for its headers and five in all to arrive, then the socket is answered and closed', async () => {
    const { headersTimeout, requestTimeout } = api.server;
    expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 60_000, requestTimeout: 300_000 });
    const server = createServer({ headersTimeout: 20, connectionsCheckingInterval: 10 });
    server.on('clientError', answerBadSocket).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ');
    let answer = '';
    for await (const part of socket) answer += String(part);
    expect(answer).toMatch(
      /^HTTP\/1\.1 408 Request Timeout\r\n[^]*"code":"request_timeout","detail":"The request did not arrive/,
    );
    server.close();
  });

  it('has parts of at most 500 characters in its path, and ids of 200', async () => {
    const long = await api.ask(`/v1/runs/${'x'.repeat(501)}`);
    await expectRefused(long, 400, 'malformed_request', /A part of the path has more than 500 characters/);
    const id = await api.ask(`/v1/runs/${'x'.repeat(201)}`);
    expect(id.body).toMatchObject({ status: 422, errors: [{ in: 'path', pointer: '#/run' }] });
  });
});

it('a key holds at most 200 event streams open at a process, and others are not touched by that', () => {
  const slots = new StreamSlots();
  const held = Array.from({ length: 200 }, () => slots.take('one'));
  expect(() => slots.take('one')).toThrow('This key holds 200 event streams open.');
  slots.take('other');
  held[0]?.();
  slots.take('one');
});

describe('names and texts that others chose', () => {
  const hostile = [
    "'; drop table run; --",
    '${inputs.message}',
    '{{constructor.constructor("return process")()}}',
    '<script>alert(1)</script>',
    '=HYPERLINK("http://example.com")',
    '../../../etc/passwd',
    '\u202etxt.exe',
    'line\nline\r\nset-cookie: a=b',
    '\u001b[2J',
    '\u0000',
    '😀'.repeat(30),
  ];

  it('come back as they were, or are refused: in inputs, metadata, and what a step makes of them', async () => {
    const echo = {
      name: 'echo',
      inputs: { text: { type: 'string' } },
      steps: [{ id: 'say', transform: { text: '${inputs.text}' } }],
      output: '${steps.say.output.text}',
    };
    expect((await api.ask('/v1/pipelines/echo', { method: 'PUT', body: echo })).status).toBe(201);
    for (const text of hostile) {
      const body = { inputs: { text }, metadata: { [text]: text, constructor: { name: text } }, stream_id: null };
      const started = await api.ask('/v1/pipelines/echo/runs', { method: 'POST', body });
      expect(started.status).toBe(202);
      await api.work();
      const { body: run } = await api.ask(`/v1/runs/${started.body.id}`);
      expect(run).toMatchObject({ status: 'succeeded', inputs: { text }, output: text });
      expect(run.metadata).toEqual({ [text]: text, constructor: { name: text } });
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('as names of streams, tags, recordings and aliases are kept as they are, or refused', async () => {
    for (const text of hostile) {
      const name = encodeURIComponent(text);
      const isPlain = !/\p{Cc}/u.test(text);
      const body = { inputs: { text: 'x' }, stream_id: text, tags: [text] };
      const started = await api.ask('/v1/pipelines/echo/runs', { method: 'POST', body });
      expect(`${started.status}`).toMatch(isPlain ? /^(202|422)$/ : /^422$/);
      await api.work();
      if (started.status === 202) {
        const { body: found } = await api.ask(`/v1/runs?tag=${name}&stream_id=${name}`);
        expect(found.data).toMatchObject([{ stream_id: text, tags: [text] }]);
      }
      const recording = { messages: [{ role: 'user', content: text }] };
      const stored = await api.ask(`/v1/recordings/${name}`, { method: 'PUT', body: recording });
      expect([text, stored.status]).toEqual([text, 422]);
      const alias = await api.ask(`/v1/pipelines/echo/aliases/${name}`, { method: 'PUT', body: { version: 1 } });
      expect(alias.status).toBeGreaterThanOrEqual(400);
    }
    expect(await api.engine.runs.getRun(HOME, 'none')).toBeNull();
  });

  it('in headers stay in their header', async () => {
    const odd = await api.ask('/v1/runs', { headers: { 'x-request-id': 'a"}\t{"level":60' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^req_/);
    const known = await api.ask(`/v1/runs/${encodeURIComponent('a\r\nset-cookie: a=b')}`);
    expect(known.headers.get('set-cookie')).toBeNull();
    expect(known.headers.get('content-type')).toContain('application/problem+json');
    expect(known.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
