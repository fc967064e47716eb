import type { NeutralRequest } from '../../../libs/context/src/index.js';
import { runWeir } from '../cli/run-weir.js';
import {
  charsOf,
  documentOf,
  expectEachEntryOnce,
  startContextStage,
  type ContextStage,
  type Shape,
} from './context-stage.js';

/** `…/calls/{n}/context`: what a model saw, what it did not see and why, and where a request first differs. */
let stage: ContextStage;
beforeAll(async () => {
  stage = await startContextStage();
});
afterAll(() => stage.close());

const SLIDING = { window: { observation_window: 1, mask_batch_turns: 1 } };

const HASH = expect.stringMatching(/^[0-9a-f]{64}$/);
const CHARS = expect.any(Number);

describe('what a model saw in a call', () => {
  let run: string;
  let request: NeutralRequest | undefined;
  beforeAll(async () => {
    await stage.say('seen', 'write', { context: SLIDING });
    run = await stage.say('seen', 'read 2', { context: SLIDING });
    request = stage.sent.at(-1);
  });

  it('is told field by field', async () => {
    const { body: calls } = await stage.api.ask(`/v1/runs/${run}/steps/answer/calls`);
    const call = calls.data[2];
    const context = await stage.contextOf(run, 3);
    expect(context).toEqual({
      run_id: run,
      step_id: 'answer',
      item: null,
      round: 0,
      call: 3,
      try: 1,
      model: 'scripted:talk',
      api_format: 'openai_chat',
      policy_hash: call.policy_hash,
      context_hash: call.context_hash,
      rebuilt: 'equal',
      wire_hash: call.wire_hash,
      upto_seq: call.upto_seq,
      cutoff_seq: 8,
      messages: context.messages,
      omitted: [],
      report: context.report,
      diff: context.diff,
    });
    expect([call.policy_hash, call.context_hash]).toEqual([HASH, HASH]);
    expect(context.report).toEqual({
      stages: ['select', 'forget', 'drop_reasoning', 'mask', 'elide', 'shorten', 'truncate'].map((stage) => ({
        stage,
        removed: stage === 'mask' ? 2 : 0,
        chars_before: CHARS,
        chars_after: CHARS,
      })),
      states: { whole: 8, masked: 1, shortened: 1 },
      chars: call.chars,
      chars_unmanaged: CHARS,
      tokens: call.tokens,
      token_ratio: CHARS,
      soft_cap: 400_000,
      hard_cap: 600_000,
      common_prefix_chars: CHARS,
      cached_tokens: { predicted: CHARS, reported: CHARS },
      repairs: [],
    });
  });

  it('names of each message its state and the entries behind it, and shows it as it was sent', async () => {
    const context = await stage.contextOf(run, 3);
    const told = context.messages.map((one: any) => [one.role, one.state, one.entries]);
    expect(told).toEqual([
      ['system', 'whole', []],
      ['user', 'whole', [1]],
      ['assistant', 'shortened', [2]],
      ['tool', 'whole', [3]],
      ['assistant', 'whole', [4]],
      ['user', 'whole', [5]],
      ['user', 'whole', [6]],
      ['assistant', 'whole', [7]],
      ['tool', 'masked', [8]],
      ['assistant', 'whole', [9]],
      ['tool', 'whole', [10]],
    ]);
    expectEachEntryOnce(context, 10);
    expect(context.messages.map((one: any) => one.synthetic)).toEqual([true, ...told.slice(1).map(() => false)]);
    const shown = context.messages.slice(1).map(({ role, content, tool_calls, tool_call_id }: any) => ({
      ...{ role, content },
      ...(role === 'assistant' ? { tool_calls } : {}),
      ...(role === 'tool' ? { tool_call_id } : {}),
    }));
    expect(request?.messages).toMatchObject(shown);
    expect(context.messages[0].content).toBe('Help.');
    expect(context.messages[8].content[0].text).toMatch(/^\[masked: memory_read\("letter"\) → ok, [\d,]+ chars, #8\]$/);
  });

  it('says where it first differs from the call before, and how much in front of that is the same', async () => {
    const context = await stage.contextOf(run, 3);
    const toolChars = context.report.chars - charsOf(context.messages);
    expect(toolChars).toBeGreaterThan(0);
    expect(context.diff).toEqual({
      common_prefix_chars: toolChars + charsOf(context.messages.slice(0, 8)),
      first_difference: { message: 8, cause: 'masked' },
    });
    expect(context.diff.common_prefix_chars).toBe(context.report.common_prefix_chars);
    const { body: unasked } = await stage.api.ask(`/v1/runs/${run}/steps/answer/calls/3/context`);
    expect(unasked.diff).toBeNull();
  });
});

describe('the cause of the first difference', () => {
  const differs = (message: number | null, cause: string) => ({
    common_prefix_chars: CHARS,
    first_difference: { message, cause },
  });

  it('is null for the first call, and `appended` where all of the last request is still there', async () => {
    expect(await stage.differenceOf(await stage.say('grows', 'hello'))).toBeNull();
    expect(await stage.differenceOf(await stage.say('grows', 'hello'))).toEqual(differs(2, 'appended'));
  });

  it('is what changed in front of the history, or all of it: policy, model, system prompt, tools', async () => {
    await stage.say('changes', 'write', { context: SLIDING });
    await stage.say('changes', 'read 2', { context: SLIDING });
    let shape: Shape = {};
    expect(await stage.differenceOf(await stage.say('changes', 'hello', shape))).toEqual(differs(2, 'policy_changed'));
    shape = { model: 'scripted:other' };
    expect(await stage.differenceOf(await stage.say('changes', 'hello', shape))).toEqual(differs(2, 'model_changed'));
    shape = { ...shape, system_prompt: 'Help more.' };
    expect(await stage.differenceOf(await stage.say('changes', 'hello', shape))).toEqual(
      differs(0, 'system_prompt_changed'),
    );
    shape = { ...shape, tools: ['memory_read'] };
    expect(await stage.differenceOf(await stage.say('changes', 'hello', shape))).toEqual(
      differs(null, 'tools_changed'),
    );
  });

  it('is the memory where that stands before the tail', async () => {
    const shape = { context: { memory: { placement: 'before_tail' } } };
    await stage.say('remembers', 'name Ada', shape);
    const run = await stage.say('remembers', 'hello', shape);
    expect(await stage.differenceOf(run)).toEqual(differs(1, 'memory_changed'));
    const { out } = await runWeir(
      { url: stage.api.url, key: stage.api.token },
      'context',
      run,
      'answer',
      '1',
      '--diff',
    );
    expect(out).toContain('it first differs at message 1: memory_changed');
    expect(await stage.differenceOf(await stage.say('remembers', 'name Ada', shape))).toEqual(differs(7, 'appended'));
    await stage.say('remembers', 'name Eve', shape);
    expect(await stage.differenceOf(await stage.say('remembers', 'hello', shape))).toEqual(
      differs(1, 'memory_changed'),
    );
  });

  it.each([
    ['forgotten', { window: { forget_after_turns: 1, mask_batch_turns: 1 } }],
    ['truncated', { budget: { max_context_items: 4, keep_recent_turns: 50 } }],
  ])('is what left entries out, which are listed: %s', async (state, context) => {
    for (const message of ['hello', 'hello again']) await stage.say(state, message, { context });
    const told = await stage.contextOf(await stage.say(state, 'and again', { context }));
    expect(told.diff).toEqual(differs(1, state));
    expect(told.omitted).toEqual([{ entries: [1, 2], state, chars: 'hello'.length + 'Done.'.length }]);
    expectEachEntryOnce(told, 5);
  });

  it('is a summary that was applied, and one that was rolled back', async () => {
    const shape = {
      context: {
        window: { min_tail_turns: 1 },
        compaction: { model: 'builtin:extractive', max_summary_chars: 1_000 },
      },
    };
    for (let n = 0; n < 3; n += 1) await stage.say('summarised', 'write', shape);
    const asked = await stage.api.ask('/v1/admin/streams/summarised/compactions', { method: 'POST', body: {} });
    expect(asked.status).toBe(202);
    await stage.api.work();
    const told = await stage.contextOf(await stage.say('summarised', 'hello', shape));
    expect(told.diff).toEqual(differs(1, 'compacted'));
    expect(told.messages[1]).toMatchObject({ role: 'user', synthetic: true, entries: [], state: 'whole' });
    expect(told.omitted).toMatchObject([{ entries: asked.body.entries, state: 'summarised' }]);
    await stage.api.ask(`/v1/admin/compactions/${asked.body.id}/rollback`, { method: 'POST', body: {} });
    expect(await stage.differenceOf(await stage.say('summarised', 'hello', shape))).toEqual(differs(1, 'rolled_back'));
  });

  it('is none across runs of a fresh view, whose other entries are listed', async () => {
    const shape = { context: { mode: 'fresh' } };
    await stage.say('fresh', 'hello', shape);
    const told = await stage.contextOf(await stage.say('fresh', 'hello', shape));
    expect([told.diff, told.messages.length]).toEqual([null, 2]);
    expect(told.omitted).toEqual([{ entries: [1, 2], state: 'before_cutoff', chars: 10 }]);
  });
});

it('calls of a repeated step are told by round: each counts them from 1', async () => {
  const ask = { id: 'ask', agent: 'helper', task: 'read 1' };
  const loop = { id: 'loop', repeat: true, max_iterations: 2, until: 'false', do: { steps: [ask] } };
  const document = { ...documentOf({}), name: 'rounds', inputs: {}, steps: [loop] };
  expect((await stage.api.ask('/v1/pipelines/rounds', { method: 'PUT', body: document })).status).toBe(201);
  const { body: run } = await stage.api.ask('/v1/pipelines/rounds/runs', { method: 'POST', body: { inputs: {} } });
  await stage.api.work();
  const { body: calls } = await stage.api.ask(`/v1/runs/${run.id}/steps/ask/calls`);
  const told = calls.data.map((one: any) => [
    one.round,
    one.call,
    one.status,
    one.tool_calls.length,
    one.finish_reason,
  ]);
  expect(told).toEqual([
    [0, 1, 'completed', 1, 'tool_calls'],
    [0, 2, 'completed', 0, 'stop'],
    [1, 1, 'completed', 1, 'tool_calls'],
    [1, 2, 'completed', 0, 'stop'],
  ]);
  const path = `/v1/runs/${run.id}/steps/ask/calls/1/context?diff=previous`;
  const [first, second, latest] = await Promise.all(
    [`${path}&round=0`, `${path}&round=1`, path].map(async (at) => (await stage.api.ask(at)).body),
  );
  expect(first).toMatchObject({ round: 0, context_hash: calls.data[0].context_hash, diff: null });
  expect(second).toMatchObject({ round: 1, context_hash: calls.data[2].context_hash, rebuilt: 'equal' });
  // The last request of round 0: system prompt, task, call, result.
  expect(second.diff.first_difference).toEqual({ message: 4, cause: 'appended' });
  expect(latest).toEqual(second);
  const server = { url: stage.api.url, key: stage.api.token };
  const { lines } = await runWeir(server, 'context', run.id, 'ask', '--round', '0', '--json');
  expect(lines).toMatchObject([{ event: 'context', round: 0, call: 2, context_hash: calls.data[1].context_hash }]);
});

it('a pipeline that names no context is told the defaults in the answer, and in the log once', async () => {
  const { context: _none, ...document } = { ...documentOf({}), name: 'silent' };
  const apply = () => stage.api.ask('/v1/pipelines/silent', { method: 'PUT', body: document });
  const note = {
    path: 'context',
    code: 'default_context_policy',
    detail: expect.stringContaining('docs/guide/context.md'),
  };
  expect(await apply()).toMatchObject({ status: 201, body: { notes: [note] } });
  expect(await apply()).toMatchObject({ status: 200, body: { notes: [note] } });
  const lines = stage.logged.filter((line) => line.includes('default_context_policy')).map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ pipeline: 'silent', version: 1, ...note }]);
});
