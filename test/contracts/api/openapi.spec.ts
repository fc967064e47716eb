import { request } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { bodies, optionalBodies, creating, deleting, otherAnswers } from './operation-examples.js';
import { wholeNumbers, withValue } from './whole-numbers.js';
import { chatPipeline, startTestApi, type Answer, type TestApi } from './test-api.js';

/**
 * Every operation of the OpenAPI document, called with valid, missing, wrong-typed and unauthorised input. Answers must
 * match the document, and nothing may be a 500. An operation without a valid example here fails the suite. Keys that
 * should not open a route are those of keys.spec.
 */
let api: TestApi;
let ids: Record<string, string>;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

type Operation = {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema: any }[];
  requestBody?: { content: Record<string, { schema: any }> };
  responses: Record<string, { content?: Record<string, { schema: any }> }>;
  security?: unknown[];
  'x-required-scope': string;
};
type Route = { method: string; path: string; operation: Operation };

const DOCUMENTED = /^(2\d\d|default)$/;

beforeAll(async () => {
  api = await startTestApi();
  ajv.addSchema({ $id: 'api', components: api.document.components });
  api.scripts.set('chat', [{ text: 'Hello.' }]);
  expect((await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') })).status).toBe(201);
  const started = await api.ask('/v1/pipelines/chat/runs', {
    method: 'POST',
    body: { inputs: { message: 'hi' }, stream_id: 'talk' },
  });
  await api.work();
  const key = await api.newKey(['runs:read']);
  const endpoint = await api.ask('/v1/webhook-endpoints', { method: 'POST', body: { url: 'https://example.com/in' } });
  await api.ask('/v1/hooks/orders', { method: 'PUT', body: bodies['putHook'] });
  ids = {
    name: 'chat',
    alias: 'live',
    version: '1',
    run: started.body.id,
    step: 'answer',
    call: '1',
    stream: 'talk',
    compaction: 'cmp_none',
    approval: 'apr_none',
    project: 'default',
    key: key.keyId,
    letter: 'none',
    endpoint: endpoint.body.id,
    hook: 'orders',
  };
});
afterAll(() => api.close());

it('is where a route that is not there points to', async () => {
  const { status, body } = await api.ask('/', { key: null });
  const detail = 'Cannot GET /. What there is: /docs for people, /openapi.json for programs.';
  expect({ status, detail: body.detail }).toEqual({ status: 404, detail });
});

function routes(): Route[] {
  return Object.entries<Record<string, Operation>>(api.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function pathOf(route: Route, values: Record<string, string> = ids): string {
  return route.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(values[name] ?? `missing-${name}`),
  );
}

function expectDocumented(route: Route, answer: Answer): void {
  const at = `${route.method} ${route.path} → ${answer.status} ${answer.text.slice(0, 300)}`;
  expect(answer.status < 500 ? 'no 5xx' : at).toBe('no 5xx');
  const documented =
    route.operation.responses[String(answer.status)] ??
    (answer.status >= 400 ? route.operation.responses['default'] : undefined);
  expect(documented === undefined ? `undocumented: ${at}` : 'documented').toBe('documented');
  const [type, media] = Object.entries(documented?.content ?? {})[0] ?? [];
  if (type === undefined || media === undefined) return void expect(answer.text).toBe('');
  expect(answer.headers.get('content-type')).toContain(type);
  if (!type.includes('json')) return;
  const validate = ajv.compile(inDocument(media.schema));
  const isValid = validate(answer.body);
  expect(isValid ? 'matches' : `${at}\n${JSON.stringify(validate.errors, null, 1)}`).toBe('matches');
}

/** The schema with its references leading into the document. */
function inDocument(schema: unknown): any {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/'));
}

async function call(
  route: Route,
  request: { path?: string; query?: string; body?: unknown; key?: string | null } = {},
): Promise<Answer> {
  return api.ask((request.path ?? pathOf(route)) + (request.query ?? ''), {
    method: route.method,
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(request.key === undefined ? {} : { key: request.key }),
  });
}

/** Says how long the body will be and sends none: the answer comes before it. */
function announce(route: Route, bytes: number): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${api.token}`,
    'content-type': 'application/json',
    'content-length': String(bytes),
  };
  return new Promise((resolve, reject) => {
    const asked = request(new URL(pathOf(route), api.url), { method: route.method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        const type = response.headers['content-type'] ?? '';
        const answered = { status: response.statusCode ?? 0, headers: new Headers({ 'content-type': type }) };
        resolve({ ...answered, body: JSON.parse(text), text });
        asked.destroy();
      });
    });
    asked.on('error', reject);
    asked.flushHeaders();
  });
}

describe('the OpenAPI document', () => {
  it('is 3.1, served without a key, and names every operation once', async () => {
    const served = await api.ask('/openapi.json', { key: null });
    expect(served.status).toBe(200);
    expect(served.body.openapi).toMatch(/^3\.1/);
    expect(served.body).toEqual(JSON.parse(JSON.stringify(api.document)));
    const names = routes().map((route) => route.operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has only schemas that a validator accepts, and references that lead somewhere', () => {
    for (const name of Object.keys(api.document.components.schemas)) {
      expect(() => ajv.compile({ $ref: `api#/components/schemas/${name}` })).not.toThrow();
    }
  });

  it('documents a problem for every operation and the key that it needs', () => {
    for (const { operation } of routes()) {
      expect(Object.keys(operation.responses)).toContain('default');
      expect(Object.keys(operation.responses).every((status) => DOCUMENTED.test(status))).toBe(true);
      expect(operation['x-required-scope'] === 'public').toBe(operation.security === undefined);
    }
  });
});

describe('every operation', () => {
  it('answers a valid request as documented', async () => {
    for (const route of routes()) {
      if (deleting.has(route.operation.operationId)) continue;
      const body = bodies[route.operation.operationId];
      const needsBody = route.operation.requestBody !== undefined;
      expect(needsBody && body === undefined ? `${route.operation.operationId} needs an example` : 'has one').toBe(
        'has one',
      );
      const answer = await call(route, { body });
      expectDocumented(route, answer);
      const expected = otherAnswers[route.operation.operationId];
      expect(`${route.operation.operationId}: ${answer.status}`).toMatch(
        expected === undefined ? /: 2\d\d$/ : new RegExp(`: ${expected}$`),
      );
    }
  });

  it('answers 401 without a key and 403 without the scope', async () => {
    const powerless = await api.newKey([]);
    for (const route of routes()) {
      const scope = route.operation['x-required-scope'];
      if (scope === 'public') continue;
      const missing = await call(route, { key: null });
      expectDocumented(route, missing);
      expect(missing.status).toBe(401);
      if (scope === 'any') continue;
      const forbidden = await call(route, { key: powerless.token });
      expectDocumented(route, forbidden);
      expect(forbidden.status).toBe(403);
      expect(forbidden.body.required_scope).toBe(scope);
    }
  });

  it('refuses bodies over the limit before it reads them, and from strangers without reading them', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const route of routes()) {
      if (route.operation.requestBody === undefined) continue;
      const answer = await announce(route, 10 * 1024 * 1024 + 1);
      expectDocumented(route, answer);
      expect(`${route.operation.operationId} ${answer.status}`).toMatch(/ 413$/);
    }
    const broken = { method: 'POST', body: '{"broken', headers };
    expect((await api.ask('/v1/bulk-actions', { ...broken, key: null })).status).toBe(401);
    expect((await api.ask('/v1/bulk-actions', { ...broken, key: (await api.newKey([])).token })).status).toBe(403);
    expect((await api.ask('/v1/bulk-actions', broken)).status).toBe(400);
  });

  it('answers 404 for ids that do not exist', async () => {
    for (const route of routes()) {
      const { operationId } = route.operation;
      if (!route.path.includes('{') || creating.has(operationId)) continue;
      const values = { version: '7', call: '7', alias: 'live' };
      const answer = await call(route, { path: pathOf(route, values), body: bodies[operationId] });
      expectDocumented(route, answer);
      expect(`${operationId} ${answer.status}`).toBe(`${operationId} 404`);
    }
  });

  it('refuses bodies of the wrong type, and missing ones', async () => {
    for (const route of routes()) {
      if (route.operation.requestBody === undefined) continue;
      for (const body of [
        [],
        'null',
        '7',
        '"text"',
        { surprise: true },
        { inputs: 7, tags: {}, version: 'x', id: [], scopes: 'all', name: {} },
      ]) {
        const headers = { 'content-type': 'application/json' };
        const answer = await api.ask(pathOf(route), { method: route.method, body, headers });
        expectDocumented(route, answer);
        expect(`${route.operation.operationId} ${JSON.stringify(body)} ${answer.status}`).toMatch(/ 422$/);
      }
      if (optionalBodies.has(route.operation.operationId)) continue;
      const missing = await call(route);
      expectDocumented(route, missing);
      expect(`${route.operation.operationId} ${missing.status}`).toMatch(/ 422$/);
    }
  });

  it('refuses query parameters of the wrong type, and unknown ones', async () => {
    for (const route of routes()) {
      const parameters = (route.operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      if (parameters.length === 0) continue;
      for (const parameter of parameters) {
        const answer = await call(route, { query: `?${parameter.name}=`, body: bodies[route.operation.operationId] });
        expect(answer.status < 500).toBe(true);
        const twice = await call(route, {
          query: `?${parameter.name}=a&${parameter.name}=b`,
          body: bodies[route.operation.operationId],
        });
        expectDocumented(route, twice);
        expect(`${route.operation.operationId} ${parameter.name} ${twice.status}`).toMatch(/ 422$/);
      }
      const unknown = await call(route, { query: '?surprise=1', body: bodies[route.operation.operationId] });
      expectDocumented(route, unknown);
      expect(unknown.status).toBe(422);
    }
  });

  it('takes or refuses the largest and smallest of each whole number in its body', async () => {
    const failed: string[] = [];
    for (const route of routes()) {
      const schema = route.operation.requestBody?.content['application/json']?.schema;
      for (const { path, schema: number } of wholeNumbers(api.document.components.schemas, schema)) {
        for (const value of [number.minimum, number.maximum]) {
          const body = withValue(bodies[route.operation.operationId], path, value);
          const answer = await call(route, { body });
          if (answer.status >= 500) failed.push(`${route.operation.operationId} ${path.join('.')} ${value}`);
        }
      }
    }
    expect(failed).toEqual([]);
  });

  it('survives ids that are long, odd or hostile', async () => {
    const odd = [
      'x'.repeat(199),
      "'; drop table run; --",
      '%',
      '../../etc/passwd',
      '\u0000',
      '😀',
      '__proto__',
      'constructor',
      '-1',
      '9'.repeat(30),
    ];
    for (const route of routes()) {
      if (!route.path.includes('{')) continue;
      for (const id of odd) {
        const path = route.path.replace(/\{(\w+)\}/g, () => encodeURIComponent(id));
        const answer = await call(route, { path, body: bodies[route.operation.operationId] });
        expectDocumented(route, answer);
        // Some of these are names that a recording, a signal, a schedule, a hook or a new stream may have.
        if (!/^\/v1\/(recordings|signals|schedules|hooks|streams|admin\/streams)/.test(route.path))
          expect(answer.status).toBeGreaterThanOrEqual(400);
      }
    }
  });
});
