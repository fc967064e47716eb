import { API_FORMATS } from '../../../libs/context/src/index.js';
import type { Json } from '../../../libs/domain/src/index.js';
import { applyPipeline, cancelRun, retryRun, startRun, validatePipeline } from '../../../libs/engine/src/index.js';
import { waitFor } from '../../support/wait-for.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'one',
    inputs: { text: { type: 'string', default: 'hello' } },
    defaults: { model: 'scripted:one', retry: { max_attempts: 2, backoff: '1ms', jitter: false } },
    agents: { helper: { system_prompt: 'Help.' } },
    steps: [
      { id: 'work', agent: 'helper', task: '${inputs.text}' },
      { id: 'after', depends_on: ['work'], transform: 'after ${steps.work.output}' },
    ],
  });
});
afterAll(() => harness.close());

describe('the retry verb', () => {
  it('goes on in place from the failed step, keeps other outputs, and resolves settings anew', async () => {
    const document = (prompt: string): Json => ({
      name: 'mended',
      defaults: { model: 'scripted:mended', retry: { max_attempts: 1 } },
      agents: { helper: { system_prompt: prompt } },
      steps: [
        { id: 'first', transform: 'kept' },
        {
          id: 'work',
          depends_on: ['first'],
          agent: 'helper',
          task: 'Work with ${steps.first.output}.',
          context: { mode: 'fresh' },
        },
        { id: 'after', depends_on: ['work'], transform: '${steps.work.output}!' },
      ],
    });
    await harness.apply(document('Old.'));
    harness.scripts.set('mended', { steps: { work: [{ failure: { class: 'invalid_request', detail: 'no' } }] } });
    const run = await harness.run('mended', {});
    expect(run).toMatchObject({ status: 'failed', error: { step_id: 'work' } });
    await harness.apply(document('New.'));
    harness.scripts.set('mended', {
      steps: { work: [[{ failure: { class: 'invalid_request' } }, { text: 'mended' }]] },
    });
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId: run.runId, version: 'live' })).toMatchObject({
      status: 'retried',
      version: 2,
    });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(run.runId)).toMatchObject({
      status: 'succeeded',
      output: 'mended!',
      pipelineVersion: 2,
    });
    expect(harness.scripts.calls('mended').at(-1)?.request).toMatchObject({
      system: 'New.',
      messages: [{ role: 'user' }],
    });
    await expectProjectionsEqualEvents(harness, run.runId);
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId: run.runId, version: 'pinned' })).toEqual({
      status: 'not_retryable',
      runStatus: 'succeeded',
    });
  });

  it('takes up a cancelled run, and refuses while another run holds the stream', async () => {
    harness.scripts.set('one', { steps: { work: [{ hang: true }] } });
    const first = await harness.start('one', {}, { streamId: 'retry-stream' });
    const draining = harness.queue.drain(harness.deps);
    await waitFor(() => (harness.deps.held.all().length > 0 ? true : null));
    await cancelRun(harness.deps, { projectId: PROJECT, runId: first, reason: null });
    await draining;
    const second = await harness.start('one', {}, { streamId: 'retry-stream' });
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId: first, version: 'pinned' })).toEqual({
      status: 'stream_busy',
      streamId: 'retry-stream',
    });
    harness.scripts.set('one', () => ({ text: 'now' }));
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(second)).toMatchObject({ status: 'succeeded' });
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId: first, version: 'pinned' })).toMatchObject({
      status: 'retried',
    });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(first)).toMatchObject({ status: 'succeeded', output: 'after now' });
    await expectProjectionsEqualEvents(harness, first);
  });
});

describe('a busy stream', () => {
  const busy = (onBusy: string) => ({
    name: `busy-${onBusy}`,
    on_busy: onBusy,
    defaults: { model: 'scripted:busy' },
    agents: { helper: {} },
    steps: [{ id: 'work', agent: 'helper', task: 'Go.', context: { mode: 'fresh' } }],
  });

  it('is refused with reject, interrupted with interrupt, shared with parallel', async () => {
    for (const onBusy of ['reject', 'interrupt', 'parallel']) await harness.apply(busy(onBusy));
    harness.scripts.set('busy', () => ({ text: 'done' }));
    const command = {
      projectId: PROJECT,
      version: null,
      inputs: {},
      tags: [],
      metadata: {},
      priority: 0,
      deadlineAt: null,
      idempotencyKey: null,
    };
    await harness.start('busy-reject', {}, { streamId: 's-reject' });
    expect(await startRun(harness.deps, { ...command, pipeline: 'busy-reject', streamId: 's-reject' })).toEqual({
      status: 'stream_busy',
      streamId: 's-reject',
    });
    const older = await harness.start('busy-interrupt', {}, { streamId: 's-interrupt' });
    const newer = await harness.start('busy-interrupt', {}, { streamId: 's-interrupt' });
    const shared = [
      await harness.start('busy-parallel', {}, { streamId: 's-parallel' }),
      await harness.start('busy-parallel', {}, { streamId: 's-parallel' }),
    ];
    for (const runId of shared) expect(await harness.runRecord(runId)).toMatchObject({ status: 'running' });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(older)).toMatchObject({
      status: 'cancelled',
      cancelReason: `interrupted by ${newer}`,
    });
    expect(await harness.runRecord(newer)).toMatchObject({ status: 'succeeded' });
    for (const runId of shared) expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded' });
  });
});

it('refuses what only shows once all levels are merged, at the block that names it', async () => {
  const work = { id: 'work', agent: 'helper', task: 'Go.', context: { blocks: { keep_last_blocks: 2 } } };
  const document = {
    name: 'unbounded',
    inputs: { parts: { type: 'array' } },
    defaults: { model: 'unlisted:one' },
    context: { preset: 'chat', budget: { max_tokens: 1_000, summary_model: 'nowhere:small' } },
    agents: { helper: { context: { compaction: { max_summary_chars: 50_000 } } } },
    steps: [{ id: 'each', for_each: '${inputs.parts}', do: { steps: [work] } }],
  };
  const facts = (model: string): ReturnType<typeof harness.deps.models.facts> => {
    if (model === 'nowhere:small') return { ok: false, detail: 'there is no connection nowhere' };
    const known = harness.deps.models.facts('scripted:one');
    return known.ok ? { ok: true, facts: { ...known.facts, windowTokens: null } } : known;
  };
  const deps = { ...harness.deps, models: { ...harness.deps.models, facts } };
  deps.pipelineFacts = { ...deps.pipelineFacts, connections: null };
  const applied = await applyPipeline(deps, { projectId: PROJECT, name: 'unbounded', document, promote: true });
  expect(applied.ok ? [] : applied.errors.map(({ path, code }) => [path, code])).toEqual([
    ['steps[0].do.steps[0].context.blocks.window_width_tokens', 'window_unknown'],
    ['agents.helper.context.compaction.max_summary_chars', 'out_of_range'],
    ['context.budget.summary_model', 'unknown_model'],
  ]);
  const bounded = { ...document, context: { preset: 'chat' }, agents: { helper: {} } };
  work.context.blocks = { keep_last_blocks: 2, window_width_tokens: 8_000 } as never;
  expect(
    await applyPipeline(deps, { projectId: PROJECT, name: 'unbounded', document: bounded, promote: true }),
  ).toMatchObject({
    ok: true,
    notes: [{ path: 'steps[0].do.steps[0]', code: 'model_window_unknown' }],
  });
});

it('refuses tools whose names or number the providers of the models do not take, at the agent that has them', async () => {
  const names = ['2nd_opinion', ...Array.from({ length: 128 }, (_, n) => `tool_${n}`)];
  const document = (model: string, tools: string[]) => ({
    name: 'armed',
    agents: { helper: { tools } },
    tools: Object.fromEntries(tools.map((tool) => [tool, { kind: 'builtin', builtin: 'now' }])),
    steps: [{ id: 'work', agent: 'helper', task: 'Go.', model }],
  });
  const facts = (model: string): ReturnType<typeof harness.deps.models.facts> => {
    const known = harness.deps.models.facts('scripted:one');
    const apiFormat = API_FORMATS.find((format) => model === `scripted:${format}`) ?? 'openai_chat';
    return known.ok ? { ok: true, facts: { ...known.facts, apiFormat } } : known;
  };
  const deps = { ...harness.deps, models: { ...harness.deps.models, facts } };
  for (const format of API_FORMATS) {
    const checked = validatePipeline(deps, document(`scripted:${format}`, names));
    const count = { path: 'agents.helper.tools', code: 'too_many_tools', found: '129', expected: 'at most 128' };
    const name = { path: 'agents.helper.tools[0]', code: 'tool_name_refused', found: '2nd_opinion' };
    expect({ format, checked }).toMatchObject({
      format,
      checked: { ok: false, errors: format === 'gemini' ? [name, count] : [count] },
    });
    expect(validatePipeline(deps, document(`scripted:${format}`, names.slice(1)))).toMatchObject({ ok: true });
  }
  expect(validatePipeline(deps, document('scripted:gemini', names.slice(0, 2)))).toMatchObject({
    errors: [
      {
        detail:
          'agents.helper.tools[0]: scripted:gemini (gemini) takes no tool named 2nd_opinion: names are a letter or underscore, then at most 63 letters, digits, underscores or hyphens; rename it',
      },
    ],
  });
});
