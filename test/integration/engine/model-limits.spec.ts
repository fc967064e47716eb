import { explainRun, type EngineDeps, type Wakeups } from '../../../libs/engine/src/index.js';
import { createModels } from '../../../libs/models/src/index.js';
import { createQueueBackend, type QueueBackend } from '../../../libs/queue/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { silentWakeups } from '../../support/in-memory-queue.js';
import { startOpenAiServer } from '../../support/providers/openai-server.js';
import type { FakeProvider } from '../../support/providers/fake-provider.js';
import { createTestDatabase, plantedSecret, type TestDatabase } from '../../support/index.js';

type Delta = Parameters<Wakeups['publishDelta']>[0];

const document = (model: string) => ({
  name: 'ask',
  agents: { one: { model } },
  inputs: { question: { type: 'string' } },
  steps: [{ id: 'answer', agent: 'one', task: '${inputs.question}' }],
});

describe('calls of models that have limits', () => {
  let harness: EngineHarness;
  let server: FakeProvider;
  let queueDatabase: TestDatabase;
  let backend: QueueBackend;
  const deltas: Delta[] = [];
  let listened = false;
  let deps: EngineDeps;

  beforeAll(async () => {
    server = await startOpenAiServer();
    harness = await createEngineHarness();
    queueDatabase = await createTestDatabase({ migrated: false });
    backend = await createQueueBackend({ kind: 'postgres', url: queueDatabase.url }, () => undefined);
    const none = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };
    const connection = (name: string, limits: Partial<typeof none> | { requestsPerMinute: number }) => ({
      name,
      provider: 'openai' as const,
      baseUrl: `${server.url}/v1`,
      apiKey: plantedSecret('model-key'),
      apiKeySource: 'the test',
      headers: {},
      allowPrivateAddresses: true,
      limits: { ...none, ...limits },
    });
    deps = harness.deps;
    deps.limiter = backend.limiter;
    deps.models = createModels({
      connections: new Map([
        ['two', connection('two', { requestsPerMinute: 2 })],
        ['free', connection('free', {})],
      ]),
    });
    deps.wakeups = {
      ...silentWakeups,
      hasListener: () => Promise.resolve(listened),
      publishDelta: (delta) => Promise.resolve(void deltas.push(delta)),
    };
  });
  beforeEach(() => server.reset());
  afterAll(async () => {
    await harness.close();
    await backend.close();
    await queueDatabase.drop();
    await server.stop();
  });

  const step = async (runId: string) => (await deps.runs.stepRunsOf(PROJECT, runId))[0];

  it('wait for their share without a slot, an attempt or a trace in the conversation', async () => {
    await harness.apply(document('two:m'));
    const runs = await Promise.all([1, 2, 3].map((n) => harness.start('ask', { question: `question ${n}` })));
    await harness.queue.drain(deps);
    expect(server.requests).toHaveLength(2);
    const records = await Promise.all(runs.map((runId) => harness.runRecord(runId)));
    expect(records.map(({ status }) => status).toSorted()).toEqual(['succeeded', 'succeeded', 'waiting']);
    const waiting = records.find(({ status }) => status === 'waiting')!;
    expect(await step(waiting.runId)).toMatchObject({ status: 'waiting', reason: 'rate_limit', attempt: 1 });
    expect(await explainRun(deps, PROJECT, waiting.runId)).toMatchObject({
      status_detail: expect.stringContaining('its share of what two:m may be asked until'),
      blocked_on: [{ kind: 'rate_limit', id: 'two:m' }],
    });
    const events = await harness.events(`${waiting.streamId}:step:answer`);
    expect(events.map(({ type }) => type)).toEqual(['UserMessageReceived']);
    // Another connection is not concerned.
    await harness.apply({ ...document('free:m'), name: 'free' });
    expect((await harness.run('free', { question: 'and this?' })).status).toBe('succeeded');
  });

  it('are held back for all by the Retry-After that one of them got', async () => {
    await harness.apply({ ...document('free:limited'), name: 'limited' });
    server.reply({
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '2' },
      body: { error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } },
    });
    const first = await harness.run('limited', { question: 'first' });
    const second = await harness.run('limited', { question: 'second' });
    expect([first.status, second.status]).toEqual(['waiting', 'waiting']);
    expect(server.requests).toHaveLength(1);
    expect((await step(second.runId))?.reason).toBe('rate_limit');
    await harness.untilEnded(first.runId);
    expect((await harness.untilEnded(second.runId)).status).toBe('succeeded');
    expect(server.requests).toHaveLength(3);
    expect((await step(first.runId))?.attempt).toBe(1);
  });

  it('are streamed when somebody listens to the stream, and only then', async () => {
    await harness.apply({ ...document('free:m'), name: 'streamed' });
    await harness.run('streamed', { question: 'nobody listens' });
    expect(server.lastRequest().json['stream']).not.toBe(true);
    expect(deltas).toEqual([]);
    listened = true;
    server.reply({ kind: 'answer', text: 'A longer answer that comes in several pieces.' });
    const run = await harness.run('streamed', { question: 'somebody listens' });
    listened = false;
    expect(run.output).toBe('A longer answer that comes in several pieces.');
    expect(server.lastRequest().json['stream']).toBe(true);
    expect(deltas.map(({ text }) => text).join('')).toBe('A longer answer that comes in several pieces.');
    expect(deltas[0]).toMatchObject({ runId: run.runId, stepId: 'answer', item: null, callNo: 1 });
  });
});
