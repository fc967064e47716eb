import type { Json } from '../../../libs/domain/src/index.js';
import {
  decideApproval,
  explainRun,
  relay,
  retryRun,
  runStepJob,
  sweep,
  type ApprovalRecord,
  type EngineDeps,
} from '../../../libs/engine/src/index.js';
import { WorkerDied } from '../../support/crashing-worker.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
let made = 0;
beforeAll(async () => {
  harness = await createEngineHarness();
  for (const policy of ['ask', 'fail', 'tell_model']) {
    const tools: Json = {
      pay: { kind: 'builtin', builtin: 'memory_write', effect: 'non_idempotent', on_unknown_outcome: policy },
    };
    const args = { key: 'paid', value: 5 };
    const agents: Json = { a: { model: 'scripted:payer', tools: ['pay'] } };
    const agent: Json = [{ id: 'work', agent: 'a', task: 'Pay.' }];
    const tool: Json = [{ id: 'work', tool: 'pay', args, retry: { max_attempts: 3, backoff: '1ms' } }];
    await harness.apply({ name: `agent-${policy}`, agents, tools, steps: agent, output: '${steps.work.output}' });
    await harness.apply({ name: `tool-${policy}`, tools, steps: tool });
  }
  harness.scripts.set('payer', ({ position, request }) =>
    position.callNo === 1
      ? { tool_calls: [{ name: 'pay', arguments: { key: 'paid', value: 5 } }] }
      : { text: JSON.stringify(request.messages.at(-1)) },
  );
});
beforeEach(() => (made = 0));
afterAll(() => harness.close());

/** A worker whose calls of tools do what they do; with `dies`, its process ends right behind the first of them. */
function worker(dies: boolean): EngineDeps {
  let isDead = false;
  const alive = <T>(call: () => Promise<T>): Promise<T> => (isDead ? Promise.reject(new WorkerDied('dead')) : call());
  const { log, runs, tools } = harness.deps;
  return {
    ...harness.secondWorker(),
    log: { ...log, append: (units) => alive(() => log.append(units)), read: (query) => alive(() => log.read(query)) },
    runs: { ...runs, transact: (work) => alive(() => runs.transact(work)) },
    tools: {
      ...tools,
      invoke: async (invocation) => {
        made += 1;
        isDead = dies;
        if (dies) throw new WorkerDied('dies behind the call');
        return tools.invoke(invocation);
      },
    },
  };
}

async function work(dies: boolean): Promise<void> {
  const deps = worker(dies);
  for (const job of harness.queue.steps.splice(0))
    await runStepJob(deps, job).catch((error: unknown) => {
      if (!(error instanceof WorkerDied)) throw error;
    });
}

/** The lease of a dead worker runs out, and its step is dispatched again. */
async function takeOver(): Promise<void> {
  await harness.database.run(
    (sql) => sql`update step_run set lease_until = now() - interval '1 second' where status = 'running'`,
  );
  await sweep(harness.deps);
  await relay(harness.deps);
}

async function dieInCall(pipeline: string): Promise<string> {
  const runId = await harness.start(pipeline, {});
  await work(true);
  expect(made).toBe(1);
  await takeOver();
  await work(false);
  return runId;
}

async function lostEvents(runId: string): Promise<string[]> {
  const run = await harness.runRecord(runId);
  const events = await harness.events(`${run.streamId}:step:work`);
  return events.flatMap((event) => (event.type === 'ToolOutcomeUnknown' ? [event.data.policy] : []));
}

async function question(runId: string): Promise<ApprovalRecord | undefined> {
  const [step] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  const all = await harness.deps.runs.approvalsOfStep(PROJECT, step?.stepRunId ?? '');
  return all.find(({ status }) => status === 'pending');
}

async function decide(runId: string, decision: 'approve' | 'deny'): Promise<void> {
  const approvalId = (await question(runId))?.approvalId ?? '';
  const about = { projectId: PROJECT, approvalId, decision, form: null, comment: 'looked', arguments: null };
  expect(await decideApproval(harness.deps, { ...about, decidedBy: 'key_1' })).toMatchObject({ status: 'decided' });
}

describe.each(['agent', 'tool'])('a call of an %s step that may have had its effect', (kind) => {
  it('is never made again by itself: the step fails and says so', async () => {
    const runId = await dieInCall(`${kind}-fail`);
    expect(await harness.runRecord(runId)).toMatchObject({
      status: 'failed',
      error: { code: 'tool_outcome_unknown', detail: expect.stringContaining('pay started and left no result') },
    });
    expect([made, await lostEvents(runId)]).toEqual([1, ['fail']]);
    await expectProjectionsEqualEvents(harness, runId);
    if (kind === 'agent') return;
    // Whoever retries has looked: the call is made. That worker dies too, and once more nobody knows.
    await retryRun(harness.deps, { projectId: PROJECT, runId, version: 'pinned' });
    await work(true);
    await takeOver();
    await work(false);
    expect([made, (await harness.runRecord(runId)).error?.code]).toEqual([2, 'tool_outcome_unknown']);
    await retryRun(harness.deps, { projectId: PROJECT, runId, version: 'pinned' });
    await work(false);
    expect([made, (await harness.runRecord(runId)).status]).toEqual([3, 'succeeded']);
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('is asked about, each time that it happens, and made again when a person says so', async () => {
    const runId = await dieInCall(`${kind}-ask`);
    expect(await explainRun(harness.deps, PROJECT, runId)).toMatchObject({ status_reason: 'approval' });
    expect(await question(runId)).toMatchObject({
      kind: 'unknown_outcome',
      tool: 'pay',
      arguments: '{"key":"paid","value":5}',
      prompt: expect.stringContaining('left no result'),
    });
    expect([made, await lostEvents(runId)]).toEqual([1, ['ask']]);
    await decide(runId, 'approve');
    // That worker dies behind the call too: the answer was about the first loss only.
    await work(true);
    await takeOver();
    await work(false);
    expect([made, (await harness.runRecord(runId)).status]).toEqual([2, 'waiting']);
    expect(await lostEvents(runId)).toEqual(['ask', 'ask']);
    await decide(runId, 'approve');
    await work(false);
    expect([made, (await harness.runRecord(runId)).status]).toEqual([3, 'succeeded']);
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('stays unmade when a person says so', async () => {
    const runId = await dieInCall(`${kind}-ask`);
    await decide(runId, 'deny');
    await work(false);
    const run = await harness.runRecord(runId);
    expect(made).toBe(1);
    if (kind === 'agent')
      expect(run).toMatchObject({ status: 'succeeded', output: expect.stringMatching(/not known.*looked/) });
    else expect(run).toMatchObject({ status: 'failed', error: { code: 'approval_denied' } });
    await expectProjectionsEqualEvents(harness, runId);
  });
});

it('a call of an agent whose model is told goes on with that', async () => {
  const runId = await dieInCall('agent-tell_model');
  expect(await harness.runRecord(runId)).toMatchObject({
    status: 'succeeded',
    output: expect.stringContaining('not known whether pay was carried out'),
  });
  expect([made, await lostEvents(runId)]).toEqual([1, ['tell_model']]);
});

/** A worker whose first call goes out and is never answered. */
function unanswered(effect: 'non_idempotent' | 'idempotent'): EngineDeps {
  const { tools } = harness.deps;
  return {
    ...harness.deps,
    tools: {
      ...tools,
      invoke: async (invocation) => {
        made += 1;
        if (made > 1) return tools.invoke(invocation);
        return { status: 'error', content: 'no answer within 5 s.', retryable: true, mayHaveTakenEffect: true };
      },
      resolve: (name, definition) => {
        const found = tools.resolve(name, definition);
        return found.ok ? { ok: true, tool: { ...found.tool, effect } } : found;
      },
    },
  };
}

describe('a call of a tool step that nobody answered', () => {
  it('is not tried again where it may have had its effect; a retry of the run makes it', async () => {
    const runId = await harness.start('tool-fail', {});
    await harness.queue.drain(unanswered('non_idempotent'));
    expect(await harness.runRecord(runId)).toMatchObject({
      status: 'failed',
      error: { code: 'tool_outcome_unknown', detail: expect.stringContaining('no answer within 5 s.') },
    });
    expect([made, await lostEvents(runId)]).toEqual([1, ['fail']]);
    await retryRun(harness.deps, { projectId: PROJECT, runId, version: 'pinned' });
    await work(false);
    expect([made, (await harness.runRecord(runId)).status]).toEqual([2, 'succeeded']);
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('is asked about where the tool says so, and made again when a person says so', async () => {
    const runId = await harness.start('tool-ask', {});
    await harness.queue.drain(unanswered('non_idempotent'));
    expect(await question(runId)).toMatchObject({
      kind: 'unknown_outcome',
      prompt: expect.stringContaining('no answer within 5 s. It may have been carried out'),
    });
    expect([made, await lostEvents(runId)]).toEqual([1, ['ask']]);
    await decide(runId, 'approve');
    await work(false);
    expect([made, (await harness.runRecord(runId)).status]).toEqual([2, 'succeeded']);
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('is tried again where that does no harm', async () => {
    const runId = await harness.start('tool-fail', {});
    await harness.queue.drain(unanswered('idempotent'));
    expect((await harness.runRecord(runId)).status).not.toBe('failed');
    expect(await lostEvents(runId)).toEqual([]);
  });
});
