import type { Json, JsonObject } from '../../../libs/domain/src/index.js';
import { cancelRun } from '../../../libs/engine/src/index.js';
import { createTools, type ToolsOptions } from '../../../libs/tools/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { waitFor } from '../../support/wait-for.js';

type Plugins = NonNullable<ToolsOptions['plugins']>;
type Run = (args: JsonObject, call: { signal: AbortSignal }) => Promise<Json | undefined>;

let harness: EngineHarness;
/** What the tools of this file do; each a plugin of its name. */
const ring: Json[] = [];
const runs: { [name: string]: Run } = {
  ok: (args) => Promise.resolve({ got: args['n'] ?? null }),
  raise: () => Promise.reject(new Error('the disk is full')),
  large: () => Promise.resolve('x'.repeat(1_100_000)),
  circular: () => {
    const value: Json = [ring];
    ring.push(value);
    return Promise.resolve(value);
  },
  nothing: () => Promise.resolve(undefined),
  hang: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
};
const parameters = { type: 'object', properties: { n: { type: 'number' } } };
const plugins: Plugins = new Map(
  Object.entries(runs).map(([name, run]) => [
    name,
    { name, description: name, parameters, effect: 'read_only' as const, primaryArgument: null, timeoutMs: null, run },
  ]),
);

beforeAll(async () => {
  harness = await createEngineHarness();
  harness.deps.tools = createTools({ plugins });
  harness.deps.pipelineFacts = {
    ...harness.deps.pipelineFacts,
    executableToolKinds: ['http', 'builtin', 'replay', 'plugin'],
  };
  const tools = {
    ...Object.fromEntries([...plugins.keys()].map((name) => [name, { kind: 'plugin' }])),
    hang: { kind: 'plugin', timeout: '50ms' },
    endless: { kind: 'plugin', plugin: 'hang', timeout: '1h' },
    guarded: { kind: 'plugin', plugin: 'ok', requires_approval: true },
  };
  const pipeline = (name: string, agent: { [key: string]: Json }): Json => ({
    name,
    defaults: { model: 'scripted:looper' },
    agents: { a: { tools: Object.keys(tools), ...agent } },
    tools,
    steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
  });
  await harness.apply(pipeline('plain', {}));
  await harness.apply(pipeline('bounded', { max_tool_calls_per_turn: 3 }));
  await harness.apply(pipeline('answers', { max_turns: 2 }));
  await harness.apply(pipeline('fails', { max_turns: 2, on_max_turns: 'fail' }));
});
afterAll(() => harness.close());

const call = (name: string, given: Json | string = {}) => ({ name, arguments: given as never });
const calls = () => harness.scripts.calls('looper');
let before = 0;
beforeEach(() => {
  before = calls().length;
});
/** The requests of this test, with how tools might be called in each. */
const asked = () => calls().slice(before);

/** Results as stored: `call.ordinal status`, and how many of each place there are. */
async function stored(streamId: string): Promise<string[]> {
  const events = await harness.events(`${streamId}:step:work`);
  return events.flatMap(({ type, data }) =>
    type === 'ToolCallCompleted' ? [`${data.call_no}.${data.ordinal} ${data.status}`] : [],
  );
}

/** Results as the last request shows them, in its order. */
const shown = (): string[] =>
  (asked().at(-1)?.request.messages ?? []).flatMap((message) =>
    message.role === 'tool'
      ? [
          `${message.name} ${message.status}: ${message.content.map((part) => (part.type === 'text' ? part.text : '')).join()}`,
        ]
      : [],
  );

describe('calls of one answer', () => {
  it('end in one result each, in the order of the calls, whatever becomes of them', async () => {
    harness.scripts.set('looper', ({ position }) =>
      position.callNo > 1
        ? { text: 'done' }
        : {
            tool_calls: [
              call('raise'),
              call('no_such_tool'),
              call('ok', '{"n": '),
              call('ok', { n: 'text' }),
              call('circular'),
              call('large'),
              call('hang'),
              call('nothing'),
              call('ok', { n: 7 }),
            ],
          },
    );
    const run = await harness.run('plain', {}, { streamId: 'shapes' });
    expect(run).toMatchObject({ status: 'succeeded', output: 'done' });
    expect((await stored('shapes')).toSorted()).toEqual(
      ['error', 'error', 'error', 'error', 'error', 'error', 'error', 'ok', 'ok'].map(
        (status, at) => `1.${at} ${status}`,
      ),
    );
    expect(shown()).toEqual([
      expect.stringMatching(/^raise error: .*the disk is full/),
      expect.stringMatching(/^no_such_tool error: There is no tool named no_such_tool\. Available: circular, /),
      expect.stringMatching(/^ok error: The arguments of ok were refused/),
      expect.stringMatching(/^ok error: The arguments of ok were refused/),
      expect.stringMatching(/^circular error: .*circular/i),
      expect.stringMatching(/^large error: .*at most 1048576 are allowed/),
      expect.stringMatching(/^hang error: .*did not answer within/),
      'nothing ok: done',
      'ok ok: {"got":7}',
    ]);
  });

  it('run in parallel, and are shown in their order whichever ends first', async () => {
    let release = (): void => undefined;
    const second = new Promise<void>((resolve) => (release = resolve));
    const waiting = plugins.get('ok');
    if (waiting === undefined) throw new Error('no such plugin');
    const usual = waiting.run.bind(waiting);
    waiting.run = async ({ n }) => {
      if (n === 1) await second;
      else release();
      return n ?? null;
    };
    harness.scripts.set('looper', ({ position }) =>
      position.callNo > 1 ? { text: 'done' } : { tool_calls: [call('ok', { n: 1 }), call('ok', { n: 2 })] },
    );
    await harness.run('plain', {}, { streamId: 'parallel' });
    waiting.run = usual;
    expect(await stored('parallel')).toEqual(['1.1 ok', '1.0 ok']);
    expect(shown()).toEqual(['ok ok: 1', 'ok ok: 2']);
  });

  it('that a cancel interrupts are shown as cancelled to the next run, those that ended as they ended', async () => {
    harness.scripts.set('looper', ({ position }) =>
      position.callNo > 1 ? { text: 'never' } : { tool_calls: [call('ok', { n: 1 }), call('endless')] },
    );
    const runId = await harness.start('plain', {}, { streamId: 'cut' });
    const draining = harness.queue.drain(harness.deps);
    await waitFor(async () => ((await stored('cut')).length === 1 ? true : null));
    await cancelRun(harness.deps, { projectId: PROJECT, runId, reason: null });
    await draining;
    expect((await harness.runRecord(runId)).status).toBe('cancelled');
    harness.scripts.set('looper', () => ({ text: 'on' }));
    expect((await harness.run('plain', {}, { streamId: 'cut' })).output).toBe('on');
    expect(await stored('cut')).toEqual(['1.0 ok']);
    expect(shown()).toEqual(['ok ok: {"got":1}', 'endless cancelled: [cancelled]']);
  });
});

describe('max_tool_calls_per_turn', () => {
  it('counts over the exchange, answers the rest with errors, then asks once more without tools', async () => {
    harness.scripts.set('looper', ({ position }) =>
      position.callNo > 2 ? { text: 'enough' } : { tool_calls: [call('ok', { n: position.callNo }), call('guarded')] },
    );
    const guarded = harness.run('bounded', {}, { streamId: 'counted' });
    // The first guarded call is asked about: it is within the bound. The second is refused without asking anybody.
    const run = await guarded;
    expect(run.status).toBe('waiting');
    const [step] = await harness.deps.runs.stepRunsOf(PROJECT, run.runId);
    const approvals = () => harness.deps.runs.approvalsOfStep(PROJECT, step?.stepRunId ?? '');
    expect((await approvals()).map(({ status }) => status)).toEqual(['pending']);
    await cancelRun(harness.deps, { projectId: PROJECT, runId: run.runId, reason: null });

    harness.scripts.set('looper', ({ position }) =>
      position.callNo > 2
        ? { text: 'enough' }
        : { tool_calls: [call('ok', { n: 1 }), call(position.callNo === 2 ? 'guarded' : 'ok', { n: 2 })] },
    );
    before = calls().length;
    const ended = await harness.run('bounded', {}, { streamId: 'counted-2' });
    expect(ended).toMatchObject({ status: 'succeeded', output: 'enough' });
    expect((await stored('counted-2')).toSorted()).toEqual(['1.0 ok', '1.1 ok', '2.0 ok', '2.1 error']);
    expect(asked().map(({ settings, request }) => [settings.toolChoice, request.tools.length])).toEqual([
      ['auto', 8],
      ['auto', 8],
      ['none', 8],
    ]);
    expect(shown().at(-1)).toMatch(/^guarded error: This call was not made: at most 3 tool calls are allowed/);
  });

  it('counts anew for the next user message', async () => {
    harness.scripts.set('looper', ({ position }) =>
      position.callNo > 1 ? { text: 'ok' } : { tool_calls: [1, 2, 3].map((n) => call('ok', { n })) },
    );
    for (const turn of [1, 2]) {
      await harness.run('bounded', {}, { streamId: 'anew' });
      expect(await stored('anew')).toHaveLength(3 * turn);
    }
    expect((await stored('anew')).every((result) => result.endsWith('ok'))).toBe(true);
    expect(asked().map(({ settings }) => settings.toolChoice)).toEqual(['auto', 'auto', 'auto', 'auto']);
  });

  it.each([
    ['takes the words beside them as the answer', 'Nearly there.', { status: 'succeeded', output: 'Nearly there.' }],
    ['fails without a word', '', { status: 'failed', error: { code: 'max_turns' } }],
  ])('asks no model that calls tools all the same a second time: %s', async (_, text, expected) => {
    harness.scripts.set('looper', () => ({
      text,
      tool_calls: [1, 2].map((n) => call('ok', { n: n + calls().length })),
    }));
    const streamId = `stubborn-${text.length}`;
    expect(await harness.run('bounded', {}, { streamId })).toMatchObject(expected);
    expect(asked().map(({ settings }) => settings.toolChoice)).toEqual(['auto', 'auto', 'none']);
    expect((await stored(streamId)).toSorted()).toEqual([
      '1.0 ok',
      '1.1 ok',
      '2.0 ok',
      '2.1 error',
      '3.0 error',
      '3.1 error',
    ]);
  });
});

describe('max_turns', () => {
  const loop = () =>
    harness.scripts.set('looper', ({ settings, position }) =>
      settings.toolChoice === 'none' ? { text: 'so far' } : { tool_calls: [call('ok', { n: position.callNo })] },
    );

  it('ends in one last answer without tools', async () => {
    loop();
    expect(await harness.run('answers', {})).toMatchObject({ status: 'succeeded', output: 'so far' });
    expect(asked().map(({ settings }) => settings.toolChoice)).toEqual(['auto', 'auto', 'none']);
    expect(asked().at(-1)?.request.tools).toHaveLength(8);
  });

  it('ends in a failure where it says so', async () => {
    loop();
    const run = await harness.run('fails', {});
    expect(run).toMatchObject({ status: 'failed', error: { code: 'max_turns' } });
    expect(asked()).toHaveLength(2);
  });
});
