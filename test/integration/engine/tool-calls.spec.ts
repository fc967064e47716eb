import type { Json } from '../../../libs/domain/src/index.js';
import {
  completeToolCall,
  decideApproval,
  explainRun,
  type ApprovalRecord,
  type EngineDeps,
} from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

const tools = (settings: { [key: string]: Json }): { [key: string]: Json } => ({
  send: { kind: 'builtin', builtin: 'memory_write', ...settings },
});
const send = (key: string, value: Json) => ({ name: 'send', arguments: { key, value } });

async function pending(runId: string): Promise<ApprovalRecord[]> {
  const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  const all = await Promise.all(steps.map(({ stepRunId }) => harness.deps.runs.approvalsOfStep(PROJECT, stepRunId)));
  return all.flat().filter(({ status }) => status === 'pending');
}

const decide = (approval: ApprovalRecord | undefined, decision: 'approve' | 'deny', edited: string | null = null) =>
  decideApproval(harness.deps, {
    projectId: PROJECT,
    approvalId: approval?.approvalId ?? '',
    decision,
    form: null,
    comment: decision === 'deny' ? 'too much' : null,
    arguments: edited,
    decidedBy: 'key_1',
  });

async function results(streamId: string): Promise<string[]> {
  const events = await harness.events(`${streamId}:step:work`);
  return events.flatMap((event) =>
    event.type === 'ToolCallCompleted'
      ? [`${event.data.ordinal} ${event.data.status}: ${JSON.stringify(event.data.content)}`]
      : [],
  );
}

describe('a tool that needs approval', () => {
  beforeAll(async () => {
    const agent = { model: 'scripted:asker', tools: ['send', 'now'] };
    await harness.apply({
      name: 'asker',
      agents: { a: agent },
      tools: tools({ requires_approval: true }),
      steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
    });
    harness.scripts.set('asker', ({ position }) =>
      position.callNo === 1
        ? { tool_calls: [send('a', 1), { name: 'now' }, send('b', 2), send('c', 3)] }
        : { text: 'all {{messages}}' },
    );
  });

  it('waits with its arguments shown, makes what is approved, as it was changed, and tells the model what was denied', async () => {
    const run = await harness.run('asker', {}, { streamId: 'asked' });
    expect(run.status).toBe('waiting');
    const asked = await pending(run.runId);
    expect(await explainRun(harness.deps, PROJECT, run.runId)).toMatchObject({
      status_reason: 'approval',
      blocked_on: asked.map(({ approvalId }) => ({ kind: 'approval', id: approvalId })),
    });
    expect(await results('asked')).toHaveLength(1);
    expect(asked.map((one) => one.arguments)).toEqual([
      '{"key":"a","value":1}',
      '{"key":"b","value":2}',
      '{"key":"c","value":3}',
    ]);
    expect(await decide(asked[0], 'approve', '{"key":7}')).toMatchObject({ status: 'invalid', field: 'arguments' });
    // In any order: the last one first.
    await decide(asked[2], 'deny');
    await harness.queue.drain(harness.deps);
    expect((await harness.runRecord(run.runId)).status).toBe('waiting');
    await decide(asked[0], 'approve', '{"key":"a","value":10}');
    await decide(asked[1], 'approve');
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(run.runId)).toMatchObject({ status: 'succeeded' });
    const told = await results('asked');
    expect(told.filter((one) => one.startsWith('2 '))).toHaveLength(1);
    expect(told.find((one) => one.startsWith('3 '))).toMatch(/denied.*too much/);
    expect(told.find((one) => one.startsWith('0 '))).toContain('changed the arguments');
    const memory = (await harness.events('asked')).flatMap((event) =>
      event.type === 'MemoryWritten' ? [[event.data.key, event.data.value]] : [],
    );
    expect(memory.sort()).toEqual([
      ['a', 10],
      ['b', 2],
    ]);
    await expectProjectionsEqualEvents(harness, run.runId);
  });

  it('holds its stream while it waits inside the conversation', async () => {
    const run = await harness.run('asker', {}, { streamId: 'held' });
    expect(run.status).toBe('waiting');
    expect(await harness.deps.runs.streamHolder(PROJECT, 'held')).toMatchObject({ runId: run.runId });
  });

  it('is asked about in a tool step too', async () => {
    await harness.apply({
      name: 'tool-step',
      tools: tools({ requires_approval: true }),
      steps: [{ id: 'work', tool: 'send', args: { key: 'k', value: 'v' } }],
    });
    const denied = await harness.run('tool-step', {});
    await decide((await pending(denied.runId))[0], 'deny');
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(denied.runId)).toMatchObject({
      status: 'failed',
      error: { code: 'approval_denied' },
    });
    const approved = await harness.run('tool-step', {});
    await decide((await pending(approved.runId))[0], 'approve');
    await harness.queue.drain(harness.deps);
    expect((await harness.runRecord(approved.runId)).status).toBe('succeeded');
    await expectProjectionsEqualEvents(harness, approved.runId);
  });
});

/** The same worker with tools that answer as they are told. */
function withTools(invoke: EngineDeps['tools']['invoke']): EngineDeps {
  return { ...harness.deps, tools: { ...harness.deps.tools, invoke } };
}

describe('a tool whose real result comes later', () => {
  const complete = (runId: string, toolCallId: string, content: string, stepId = 'work') =>
    completeToolCall(harness.deps, {
      projectId: PROJECT,
      runId,
      stepId,
      item: null,
      callNo: 1,
      toolCallId,
      content,
      isError: false,
    });

  beforeAll(async () => {
    await harness.apply({
      name: 'later',
      agents: { a: { model: 'scripted:later', tools: ['send'] } },
      tools: tools({}),
      steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
    });
    harness.scripts.set('later', ({ position, request }) =>
      position.callNo === 1
        ? { tool_calls: [send('x', 1), send('y', 2)] }
        : { text: JSON.stringify(request.messages.at(-1)?.content ?? '') },
    );
    await harness.apply({
      name: 'later-step',
      tools: tools({}),
      steps: [{ id: 'work', tool: 'send', args: { key: 'k', value: 'v' } }],
    });
  });

  it('keeps the step waiting without a worker, and is shown in the place of its call', async () => {
    let calls = 0;
    const deps = withTools(() => {
      calls += 1;
      return Promise.resolve({ status: 'pending', content: 'accepted' });
    });
    const runId = await harness.start('later', {}, { streamId: 'late' });
    await harness.queue.drain(deps);
    expect((await harness.runRecord(runId)).status).toBe('waiting');
    expect(await explainRun(harness.deps, PROJECT, runId)).toMatchObject({ status_reason: 'signal' });
    const ids = (await harness.events('late:step:work')).flatMap((event) =>
      event.type === 'ToolCallRequested' ? [event.data.tool_call.id] : [],
    );
    expect(await complete(runId, 'nothing-like-it', 'x')).toEqual({ status: 'not_found' });
    expect(await complete(runId, ids[1] ?? '', 'second')).toMatchObject({ status: 'completed' });
    expect(await complete(runId, ids[1] ?? '', 'again')).toEqual({ status: 'not_pending' });
    await harness.queue.drain(deps);
    expect((await harness.runRecord(runId)).status).toBe('waiting');
    await complete(runId, ids[0] ?? '', 'first');
    await harness.queue.drain(deps);
    expect(calls).toBe(2);
    const run = await harness.runRecord(runId);
    expect(run.status).toBe('succeeded');
    expect(run.output).toContain('second');
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('ends a tool step with it', async () => {
    const runId = await harness.start('later-step', {});
    await harness.queue.drain(withTools(() => Promise.resolve({ status: 'pending', content: 'accepted' })));
    expect((await harness.runRecord(runId)).status).toBe('waiting');
    expect(await complete(runId, 'work', 'real')).toMatchObject({ status: 'completed' });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'real' });
  });
});

describe('fallback models', () => {
  beforeAll(() =>
    harness.apply({
      name: 'falls-back',
      defaults: { retry: { max_attempts: 3, backoff: '1ms', jitter: false } },
      agents: {
        a: { model: 'scripted:first', fallback_models: ['scripted:second', 'scripted:third'], tools: ['now'] },
      },
      steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
    }),
  );

  it('answer when the model fails for good, or is overloaded again and again, and go on to', async () => {
    harness.scripts.set('first', () => ({ failure: { class: 'authentication' } }));
    harness.scripts.set('second', () => ({ failure: { class: 'overloaded' } }));
    harness.scripts.set('third', ({ position }) =>
      position.callNo === 1 ? { tool_calls: [{ name: 'now' }] } : { text: 'third' },
    );
    const runId = await harness.start('falls-back', {});
    const run = await harness.untilEnded(runId);
    expect(run).toMatchObject({ status: 'succeeded', output: 'third' });
    const asked = ['first', 'second', 'third'].map((name) => harness.scripts.calls(name).length);
    expect(asked).toEqual([1, 2, 2]);
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('fail the step when the last of them does', async () => {
    for (const name of ['first', 'second', 'third'])
      harness.scripts.set(name, () => ({ failure: { class: 'invalid_request', detail: `${name} says no` } }));
    const run = await harness.untilEnded(await harness.start('falls-back', {}));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'invalid_request' } });
    expect(run.error?.detail).toContain('third');
  });
});
