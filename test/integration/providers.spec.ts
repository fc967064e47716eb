import { createHash } from 'node:crypto';
import { cancelRun } from '../../libs/engine/src/index.js';
import { testQueue } from '../support/index.js';
import { Installation, PROJECT } from '../support/installation.js';
import { startAnthropicServer } from '../support/providers/anthropic-server.js';
import type { FakeProvider } from '../support/providers/fake-provider.js';
import { startOpenAiServer } from '../support/providers/openai-server.js';

/** A worker, and servers that speak both wire forms. */
let servers: { [provider: string]: FakeProvider };
let installation: Installation;

beforeAll(async () => {
  servers = { openai: await startOpenAiServer(), anthropic: await startAnthropicServer() };
  const queue = await testQueue();
  const connection = (provider: string, path: string): string =>
    `  my-${provider}: { provider: ${provider}, base_url: "${servers[provider]?.url}${path}", api_key: none, allow_private_addresses: true }`;
  installation = await Installation.open(
    {
      ...(queue.redisUrl === null ? {} : { REDIS_URL: queue.redisUrl }),
      WEIR_QUEUE_BACKEND: queue.backend,
      WEIR_QUEUE_PREFIX: queue.prefix,
    },
    ['connections:', connection('openai', '/v1'), connection('anthropic', '')].join('\n'),
  );
  await installation.worker();
  for (const provider of Object.keys(servers))
    await installation.applyDocument({
      name: provider,
      inputs: { n: { type: 'integer' } },
      agents: { a: { model: `my-${provider}:m`, system_prompt: 'You answer.' } },
      steps: [{ id: 'ask', agent: 'a', task: '${inputs.n}' }],
      output: '${steps.ask.output}',
    });
});
afterAll(async () => {
  await installation.close();
  await Promise.all(Object.values(servers).map((server) => server.stop()));
});

describe.each(['openai', 'anthropic'])('a run on a model of %s', (provider) => {
  it.each([
    ['before the answer begins', 'hang'],
    ['in the middle of it', 'stall'],
  ] as const)('that is cancelled %s closes the socket of its call', async (_when, kind) => {
    const server = servers[provider]!;
    server.reply({ kind, text: 'A long text that never ends' });
    const request = server.nextRequest();
    const runId = await installation.start(provider, 1);
    const { closedByClient } = await request;
    const { engine } = installation.accepting;
    await cancelRun(engine, { projectId: PROJECT, runId, reason: null });
    // Nothing else would close it: calls may take minutes, and the test's own time is up before.
    await closedByClient;
    expect(await installation.ended(runId)).toMatchObject({ status: 'cancelled' });
    expect(server.requests.at(-1)?.json['model']).toBe('m');
  });

  it('waits out an overload that says for how long, without an attempt, and answers then', async () => {
    const server = servers[provider]!;
    const asked = server.requests.length;
    const body = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    server.reply(
      { kind: 'status', status: 429, headers: { 'retry-after': '1' }, body },
      { kind: 'answer', text: 'at last' },
    );
    const runId = await installation.start(provider, 2);
    expect(await installation.ended(runId)).toMatchObject({ status: 'succeeded', output: 'at last' });
    expect(server.requests.length - asked).toBe(2);
  });

  it('records the hash of what was sent, and the cached tokens that it foretold beside those that were reported', async () => {
    const server = servers[provider]!;
    const stream = `cached-${provider}`;
    const usage = { input: provider === 'openai' ? 1_000 : 300, cached: 700, output: 5 };
    for (const n of [1, 2]) {
      server.reply({ kind: 'answer', text: `${'A longer answer. '.repeat(40)}${n}`, usage });
      await installation.ended(await installation.startWith(provider, { n }, stream));
    }
    const { log } = installation.accepting.engine;
    const events = await log.read({ projectId: PROJECT, streamId: `${stream}:step:ask` });
    const started = events.findLast((event) => event.type === 'LlmCallStarted');
    const completed = events.findLast((event) => event.type === 'LlmCallCompleted');
    const { predicted } = (started?.data.report as any).cached_tokens;
    expect(predicted).toBeGreaterThan(0);
    expect(completed?.data).toMatchObject({
      usage: { input_tokens: 1_000, cached_tokens: 700 },
      wire_hash: createHash('sha256').update(server.lastRequest().text).digest('hex'),
    });
    expect(server.lastRequest().text.includes('"cache_control"')).toBe(provider === 'anthropic');
  });
});
