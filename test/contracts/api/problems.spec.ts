import { connect } from 'node:net';
import { chatPipeline, startTestApi, type Answer, type TestApi } from './test-api.js';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('chat', [{ text: 'Hello.' }]);
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

function expectProblem(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.code }).toEqual({ status, code });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toMatchObject({
    type: `urn:weir:problem:${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: expect.stringMatching(/^\//),
    request_id: answer.headers.get('x-request-id'),
    retryable: expect.any(Boolean),
    errors: expect.any(Array),
    allowed_actions: expect.any(Array),
  });
  expect('retry_after_ms' in answer.body).toBe(true);
  expect(answer.text).not.toMatch(/node_modules|\.ts:\d|\bat [A-Z]\w+\./);
}

describe('every answer that is not 2xx is a problem', () => {
  it('for an unknown route', async () => {
    expectProblem(await api.ask('/v1/nothing'), 404, 'route_not_found');
    expectProblem(await api.ask('/v1/runs', { method: 'DELETE' }), 404, 'route_not_found');
  });

  it('for a path that cannot be decoded', async () => {
    expectProblem(await api.ask('/v1/runs/%E0%A4%A'), 400, 'malformed_request');
  });

  it('for bytes that are not HTTP', async () => {
    const { hostname, port } = new URL(api.url);
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('NOT HTTP\r\n\r\n'));
      let received = '';
      socket.setEncoding('utf8');
      socket.on('data', (chunk: string) => (received += chunk));
      socket.on('end', () => resolve(received));
      socket.on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain('application/problem+json');
  });

  it('for a body that is not JSON, with where', async () => {
    const answer = await api.ask('/v1/pipelines/chat/runs', {
      method: 'POST',
      body: '{"inputs": {',
      headers: { 'content-type': 'application/json' },
    });
    expectProblem(answer, 400, 'malformed_json');
    expect(answer.body.detail).toMatch(/position 12/);
  });

  it('for keys that reach for the prototype', async () => {
    const answer = await api.ask('/v1/pipelines/chat/runs', {
      method: 'POST',
      body: '{"inputs": {"__proto__": {}}}',
      headers: { 'content-type': 'application/json' },
    });
    expectProblem(answer, 400, 'malformed_json');
    expect(answer.body.detail).toMatch(/__proto__/);
  });

  it('for YAML that is not YAML, with line and column', async () => {
    const answer = await api.ask('/v1/pipelines/chat', {
      method: 'PUT',
      body: 'name: chat\nsteps: [',
      headers: { 'content-type': 'application/yaml' },
    });
    expectProblem(answer, 400, 'malformed_yaml');
    expect(answer.body.errors[0]).toMatchObject({ in: 'body', line: expect.any(Number), column: expect.any(Number) });
  });

  it('for a media type that is not taken', async () => {
    const answer = await api.ask('/v1/pipelines/chat/runs', {
      method: 'POST',
      body: 'x=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expectProblem(answer, 415, 'media_type_unsupported');
  });

  it('for YAML where only JSON is taken', async () => {
    const answer = await api.ask('/v1/pipelines/chat/runs', {
      method: 'POST',
      body: 'inputs: {}',
      headers: { 'content-type': 'application/yaml' },
    });
    expectProblem(answer, 415, 'media_type_unsupported');
  });

  it('for a body over 10 MiB', async () => {
    const answer = await api.ask('/v1/pipelines/chat/runs', {
      method: 'POST',
      body: { inputs: { message: 'x'.repeat(10 * 1024 * 1024) } },
    });
    expectProblem(answer, 413, 'body_too_large');
  });

  it('for no key, a malformed one, an unknown one and a revoked one', async () => {
    expectProblem(await api.ask('/v1/runs', { key: null }), 401, 'key_missing');
    expectProblem(
      await api.ask('/v1/runs', { key: null, headers: { authorization: 'Basic abc' } }),
      401,
      'key_missing',
    );
    const wrong = await api.ask('/v1/runs', { key: `weir_${'0'.repeat(32)}_${'0'.repeat(64)}` });
    expectProblem(wrong, 401, 'key_invalid');
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer/);
    const revoked = await api.newKey();
    expect((await api.ask('/v1/runs', { key: revoked.token })).status).toBe(200);
    expect((await api.ask(`/v1/admin/api-keys/${revoked.keyId}`, { method: 'DELETE' })).status).toBe(200);
    expectProblem(await api.ask('/v1/runs', { key: revoked.token }), 401, 'key_invalid');
  });

  it('for a missing scope, which it names', async () => {
    const reader = await api.newKey(['runs:read']);
    const answer = await api.ask('/v1/pipelines/chat/runs', {
      method: 'POST',
      key: reader.token,
      body: { inputs: { message: 'hi' } },
    });
    expectProblem(answer, 403, 'scope_missing');
    expect(answer.body.required_scope).toBe('runs:write');
  });

  it('for ids of another project, as for ids that do not exist', async () => {
    const stranger = await api.newProject('stranger');
    const started = await api.ask('/v1/pipelines/chat/runs', { method: 'POST', body: { inputs: { message: 'hi' } } });
    expect(started.status).toBe(202);
    const { id } = started.body;
    const paths = [
      '',
      '/steps',
      '/steps/answer',
      '/steps/answer/calls',
      '/steps/answer/calls/1/context',
      '/events',
      '/stream',
      '/explain',
      '/cost',
    ];
    for (const path of paths) {
      expectProblem(await api.ask(`/v1/runs/${id}${path}`, { key: stranger.token }), 404, 'run_not_found');
    }
    expectProblem(
      await api.ask(`/v1/runs/${id}/cancel`, { method: 'POST', key: stranger.token }),
      404,
      'run_not_found',
    );
    expectProblem(
      await api.ask(`/v1/runs/${id}`, { method: 'PATCH', key: stranger.token, body: { tags: [] } }),
      404,
      'run_not_found',
    );
    expectProblem(await api.ask(`/v1/admin/streams/${id}`, { key: stranger.token }), 404, 'stream_not_found');
    expectProblem(await api.ask('/v1/pipelines/chat', { key: stranger.token }), 404, 'pipeline_not_found');
    expectProblem(await api.ask('/v1/admin/projects/default', { key: stranger.token }), 404, 'project_not_found');
    expectProblem(
      await api.ask('/v1/admin/projects', { method: 'POST', key: stranger.token, body: { id: 'mine' } }),
      404,
      'project_not_found',
    );
    expectProblem(await api.ask('/v1/runs/run_0', {}), 404, 'run_not_found');
  });

  it('for a request that does not fit, with every fault and its pointer', async () => {
    const answer = await api.ask('/v1/pipelines/chat/runs', {
      method: 'POST',
      body: { inputs: [], tags: ['', 7], priority: 'high', surprise: true, 'a/b': 1 },
    });
    expectProblem(answer, 422, 'invalid_request');
    expect(answer.body.errors.map((fault: { pointer: string }) => fault.pointer).sort()).toEqual(
      ['#/a~1b', '#/inputs', '#/priority', '#/surprise', '#/tags/0', '#/tags/1'].sort(),
    );
  });

  it('for query parameters that do not fit', async () => {
    const answer = await api.ask('/v1/runs?limit=0&status=sleeping&colour=red');
    expectProblem(answer, 422, 'invalid_request');
    expect(
      answer.body.errors.map((fault: { in: string; pointer: string }) => `${fault.in}${fault.pointer}`).sort(),
    ).toEqual(['query#/colour', 'query#/limit', 'query#/status']);
  });

  it('for inputs that do not fit the pipeline', async () => {
    const answer = await api.ask('/v1/pipelines/chat/runs', {
      method: 'POST',
      body: { inputs: { message: 7, other: 1 } },
    });
    expectProblem(answer, 422, 'invalid_inputs');
    expect(answer.body.errors.map((fault: { pointer: string }) => fault.pointer)).toEqual(
      expect.arrayContaining(['#/inputs/message', '#/inputs/other']),
    );
  });

  it('for a pipeline with ten different faults: ten errors with paths', async () => {
    const document = {
      name: 'ten',
      colour: 'red',
      inputs: { message: { type: 'text' } },
      timeout: 'soon',
      agents: { chat: { system_prompt: 7, tools: ['no_such_tool'] } },
      steps: [
        { id: 'Bad Id', agent: 'chat', task: 'x' },
        { id: 'a', agent: 'nobody', task: 'x' },
        { id: 'b', depends_on: ['nothing'], agent: 'chat', task: '${inputs.unknown}' },
        { id: 'c', agent: 'chat', tool: 'now', task: 'x' },
        { id: 'd', transform: '${1 +}' },
        { id: 'a', transform: 1, context: { window: { observation_window: -1 } } },
      ],
    };
    const answer = await api.ask('/v1/pipelines/ten', { method: 'PUT', body: document });
    expectProblem(answer, 422, 'pipeline_invalid');
    expect(answer.body.errors.length).toBeGreaterThanOrEqual(10);
    for (const fault of answer.body.errors) {
      expect(fault).toMatchObject({
        path: expect.any(String),
        pointer: expect.stringMatching(/^#/),
        found: expect.any(String),
        expected: expect.any(String),
      });
    }
    const validated = await api.ask('/v1/pipelines/validate', { method: 'POST', body: document });
    expect(validated.body.errors).toEqual(answer.body.errors);
    expectProblem(await api.ask('/v1/pipelines/ten'), 404, 'pipeline_not_found');
  });

  it('for a cursor that is not ours or belongs to other filters', async () => {
    for (let count = 0; count < 2; count += 1) {
      await api.ask('/v1/pipelines/chat/runs', {
        method: 'POST',
        body: { inputs: { message: 'hi' }, tags: ['paged'] },
      });
    }
    const first = await api.ask('/v1/runs?limit=1&tag=paged');
    expect(first.body).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    expectProblem(await api.ask(`/v1/runs?limit=1&cursor=${first.body.next_cursor}`), 400, 'cursor_invalid');
    expectProblem(await api.ask('/v1/runs?cursor=nonsense'), 400, 'cursor_invalid');
    const decoded = JSON.parse(Buffer.from(first.body.next_cursor, 'base64url').toString());
    const edited = Buffer.from(JSON.stringify({ ...decoded, after: ['no time', 'run_\0'] })).toString('base64url');
    expectProblem(await api.ask(`/v1/runs?limit=1&tag=paged&cursor=${edited}`), 400, 'cursor_invalid');
    const run = first.body.data[0].id;
    expectProblem(await api.ask(`/v1/runs/${run}/events?after=nonsense`), 400, 'cursor_invalid');
    expectProblem(
      await api.ask(`/v1/runs/${run}/stream`, { headers: { 'last-event-id': 'nonsense' } }),
      400,
      'cursor_invalid',
    );
    const second = await api.ask(`/v1/runs?limit=1&tag=paged&cursor=${first.body.next_cursor}`);
    expect(second.body.data[0].id).not.toBe(run);
  });

  it('for an Idempotency-Key that was used with another body, and one that cannot be a key', async () => {
    const headers = { 'idempotency-key': 'once' };
    expect(
      (await api.ask('/v1/pipelines/chat/runs', { method: 'POST', headers, body: { inputs: { message: 'a' } } }))
        .status,
    ).toBe(202);
    expectProblem(
      await api.ask('/v1/pipelines/chat/runs', { method: 'POST', headers, body: { inputs: { message: 'b' } } }),
      422,
      'idempotency_key_reused',
    );
    expectProblem(
      await api.ask('/v1/pipelines/chat/runs', {
        method: 'POST',
        headers: { 'idempotency-key': 'a b' },
        body: { inputs: { message: 'b' } },
      }),
      422,
      'invalid_request',
    );
  });

  it('for a state that does not allow it, with what it allows', async () => {
    const { body } = await api.ask('/v1/pipelines/chat/runs', { method: 'POST', body: { inputs: { message: 'hi' } } });
    await api.work();
    const answer = await api.ask(`/v1/runs/${body.id}/cancel`, { method: 'POST' });
    expectProblem(answer, 409, 'wrong_state');
  });

  it('echoes a harmless request id and replaces any other', async () => {
    expect((await api.ask('/v1/nothing', { headers: { 'x-request-id': 'abc-1' } })).body.request_id).toBe('abc-1');
    expect((await api.ask('/v1/nothing', { headers: { 'x-request-id': 'a b<c>' } })).body.request_id).toMatch(/^req_/);
  });
});
