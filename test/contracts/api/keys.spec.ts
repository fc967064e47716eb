import { API_KEY_SCOPES, mintApiKey } from '../../../libs/engine/src/index.js';
import { bodies, creating } from './operation-examples.js';
import { chatPipeline, HOME, startTestApi, type Answer, type TestApi } from './test-api.js';

/**
 * Every route of the OpenAPI document, tried with every key that should not open it. A route that is added is tried too:
 * only what needs no key stands here by name.
 */
const PUBLIC = ['deliverToHook', 'getLive', 'getMetrics', 'getReady', 'getVersion'];

type Route = { method: string; path: string; id: string; scope: string };

let api: TestApi;
let routes: Route[];
let guarded: Route[];
let ids: Record<string, string>;

beforeAll(async () => {
  api = await startTestApi();
  routes = Object.entries<Record<string, any>>(api.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ method: method.toUpperCase(), path },
      ...{ id: operation.operationId, scope: operation['x-required-scope'] },
    })),
  );
  guarded = routes.filter(({ scope }) => scope !== 'public');
  api.scripts.set('chat', { replies: [{ text: 'Hello.' }], after_last: 'repeat' });
  const make = async (method: string, path: string, body: unknown) => {
    const answer = await api.ask(path, { method, body });
    expect(`${path} ${answer.status}`).toMatch(/ 20[012]$/);
    return answer.body;
  };
  await make('PUT', '/v1/pipelines/chat', chatPipeline('chat'));
  const ended = await make('POST', '/v1/pipelines/chat/runs', { inputs: { message: 'hi' }, stream_id: 'talk' });
  await api.work();
  await make('PUT', '/v1/hooks/orders', bodies['putHook']);
  await make('PUT', '/v1/schedules/daily', bodies['putSchedule']);
  await make('PUT', '/v1/recordings/session', bodies['putRecording']);
  const endpoint = await make('POST', '/v1/webhook-endpoints', bodies['createWebhookEndpoint']);
  const key = await api.newKey(['runs:read']);
  ids = {
    ...{ name: 'chat', alias: 'live', version: '1', run: ended.id, step: 'answer', call: '1', stream: 'talk' },
    ...{ compaction: 'cmp_none', approval: 'apr_none', project: HOME, key: key.keyId, letter: 'none' },
    ...{ endpoint: endpoint.id, hook: 'orders', schedule: 'daily' },
  };
});
afterAll(() => api.close());

/** The ids of what is there; recordings and schedules have names of their own. */
function pathOf({ path }: Route): string {
  const own = path.startsWith('/v1/recordings') ? 'session' : path.startsWith('/v1/schedules') ? 'daily' : null;
  return path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent((name === 'name' ? own : null) ?? ids[name] ?? `missing-${name}`),
  );
}

const ask = (route: Route, key: string | null, headers: Record<string, string> = {}): Promise<Answer> =>
  api.ask(pathOf(route), { method: route.method, key, body: bodies[route.id], headers });

/** `method path: what it answered` of each that answered otherwise; all at once. */
async function otherAnswers(
  tried: readonly Route[],
  answer: (route: Route) => Promise<[expected: string, given: string]>,
): Promise<string[]> {
  const faults = await Promise.all(
    tried.map(async (route) => {
      const [expected, given] = await answer(route);
      return given === expected ? [] : [`${route.method} ${route.path}: ${given} instead of ${expected}`];
    }),
  );
  return faults.flat();
}

/** All rows of all tables; with a project, of those tables that have one, its rows. */
async function stored(project: string | null = null): Promise<Record<string, string>> {
  const tables = await api.database.sql<{ name: string; owned: boolean }[]>`
    select t.table_name as name, exists (
      select from information_schema.columns c
      where c.table_schema = t.table_schema and c.table_name = t.table_name and c.column_name = 'project_id') as owned
    from information_schema.tables t where t.table_schema = 'public' and t.table_type = 'BASE TABLE'`;
  const digests: Record<string, string> = {};
  for (const { name, owned } of tables.filter((table) => project === null || table.owned)) {
    const where = project === null || !owned ? '' : `where project_id = '${project}'`;
    const [row] = await api.database.sql.unsafe<{ digest: string | null }[]>(
      `select md5(string_agg(t::text, e'\\n' order by t::text)) as digest from "${name}" t ${where}`,
    );
    digests[name] = row?.digest ?? 'empty';
  }
  return digests;
}

it('needs a key everywhere but where it says so', () => {
  const named = routes.filter(({ scope }) => scope === 'public').map(({ id }) => id);
  expect(named.sort()).toEqual(PUBLIC);
});

it('answers 401 without a key, with a malformed, an unknown and a revoked one, and does nothing', async () => {
  const revoked = await api.newKey();
  expect((await api.ask(`/v1/admin/api-keys/${revoked.keyId}`, { method: 'DELETE' })).status).toBe(200);
  const [, id = ''] = api.token.split('_');
  const wrong: [string, string | null, Record<string, string>][] = [
    ['key_missing', null, {}],
    ['key_missing', null, { authorization: `Basic ${Buffer.from(`x:${api.token}`).toString('base64')}` }],
    ['key_missing', null, { authorization: api.token }],
    ['key_missing', null, { authorization: `Bearer ${api.token} more` }],
    ['key_missing', null, { 'x-api-key': api.token, cookie: `key=${api.token}` }],
    ['key_invalid', `weir_${id}`, {}],
    ['key_invalid', `weir_${id}_${'0'.repeat(64)}`, {}],
    ['key_invalid', `${api.token}0`, {}],
    ['key_invalid', mintApiKey().token, {}],
    ['key_invalid', revoked.token, {}],
  ];
  const before = await stored();
  for (const [code, key, headers] of wrong) {
    const answers = await otherAnswers(guarded, async (route) => {
      const { status, body } = await ask(route, key, headers);
      return [`401 ${code}`, `${status} ${body?.code}`];
    });
    expect(answers).toEqual([]);
  }
  expect(await stored()).toEqual(before);
});

it('answers 401 to HEAD, and nothing behind another spelling of a path', async () => {
  const reads = guarded.filter(({ method }) => method === 'GET');
  expect(
    await otherAnswers(reads, async (route) => {
      const { status } = await api.ask(pathOf(route), { method: 'HEAD', key: null });
      return ['401', String(status)];
    }),
  ).toEqual([]);
  const spellings = [
    '/v1/runs/',
    '/.//v1/runs',
    '/V1/Runs',
    '/v1/%72uns',
    '/v1/./runs',
    '/health/../v1/runs',
    '/v1/runs;x',
  ];
  for (const path of spellings) expect(`${path} ${(await api.ask(path, { key: null })).status}`).toMatch(/ 4..$/);
});

it.each(API_KEY_SCOPES)('answers 403 and names the scope when only %s is missing, and does nothing', async (scope) => {
  const lacking = await api.newKey(API_KEY_SCOPES.filter((other) => other !== scope));
  const needing = guarded.filter((route) => route.scope === scope);
  expect(needing.length).toBeGreaterThan(0);
  const before = await stored();
  const answers = await otherAnswers(needing, async (route) => {
    const { status, body } = await ask(route, lacking.token);
    return [`403 scope_missing ${scope}`, `${status} ${body?.code} ${body?.required_scope}`];
  });
  expect(answers).toEqual([]);
  expect(await stored()).toEqual(before);
});

it('asks for no more than the scope that it names', async () => {
  const faults: string[] = [];
  for (const scope of API_KEY_SCOPES) {
    const holder = await api.newKey([scope]);
    for (const route of guarded.filter((one) => one.scope === scope)) {
      // What is not there: nothing happens, but the key has been looked at.
      const path = route.path.replace(/\{(\w+)\}/g, 'missing');
      const body = route.method === 'GET' ? {} : { body: { surprise: true } };
      const { status } = await api.ask(path, { method: route.method, key: holder.token, ...body });
      if (status === 401 || status === 403) faults.push(`${route.method} ${route.path}: ${status} with ${scope}`);
    }
  }
  expect(faults).toEqual([]);
});

it('answers 404 to the keys of another project, with all scopes, and changes nothing of this one', async () => {
  const stranger = await api.newProject('stranger');
  const before = await stored(HOME);
  const named = guarded.filter(({ path, id }) => path.includes('{') && !creating.has(id));
  const answers = await otherAnswers(named, async (route) => {
    const { status, text } = await ask(route, stranger.token);
    return ['404', text.includes('Hello.') ? `${status} and what was said` : String(status)];
  });
  expect(answers).toEqual([]);
  // Lists are its own, and what it makes under a name that is taken here is its own too.
  for (const route of guarded.filter((one) => !named.includes(one)))
    expect((await ask(route, stranger.token)).text).not.toContain(ids['run']);
  expect(await stored(HOME)).toEqual(before);
});
