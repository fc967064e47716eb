import type { Json, StoredEvent } from '../../../libs/domain/src/index.js';
import { effectivePolicy } from '../../../libs/context/src/index.js';
import { contextOfStep, previewStored, rebuildCall, runCompactionJob } from '../../../libs/engine/src/index.js';
import { logOf, longAnswer } from '../../support/compaction-stage.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

/** A pipeline with one agent, and answers of some 350 tokens. */
async function apply(name: string, context: Json): Promise<void> {
  harness.scripts.set(name, { steps: { work: [{ text: longAnswer('long', 1_500) }] }, after_last: 'repeat' });
  await harness.apply({
    name,
    inputs: { text: { type: 'string', required: true } },
    defaults: { model: `scripted:${name}`, retry: { max_attempts: 1 } },
    context,
    agents: { helper: { system_prompt: 'Help.' } },
    steps: [{ id: 'work', agent: 'helper', task: '${inputs.text}' }],
  });
}

async function ask(name: string, text: string, compactions = false): Promise<string> {
  const runId = await harness.start(name, { text }, { streamId: name });
  await harness.queue.drain(harness.deps, { compactions });
  return runId;
}

const textsOf = (name: string): string[] =>
  harness.scripts
    .calls(name)
    .at(-1)
    ?.request.messages.map(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join('')) ??
  [];

const started = async (name: string): Promise<Extract<StoredEvent, { type: 'LlmCallStarted' }>[]> =>
  (await harness.events(logOf(name))).flatMap((event) => (event.type === 'LlmCallStarted' ? [event] : []));

async function verdicts(name: string): Promise<string[]> {
  const calls = await started(name);
  const rebuilt = calls.map(({ runId, data }) =>
    rebuildCall(harness.deps, {
      projectId: PROJECT,
      runId: runId ?? '',
      stepId: 'work',
      item: null,
      callNo: data.call_no,
      try: null,
    }),
  );
  return (await Promise.all(rebuilt)).map((one) => one?.verdict ?? 'missing');
}

const preview = async (name: string, context: Json): ReturnType<typeof previewStored> =>
  previewStored(harness.deps, {
    projectId: PROJECT,
    rootStream: name,
    subStream: logOf(name),
    policy: effectivePolicy({ pipeline: context }, false),
    model: null,
    runId: null,
    uptoSeq: null,
  });

describe('a budget', () => {
  it('makes the step wait for a summary by summary_model, and goes on with it', async () => {
    await apply('thrifty', {
      budget: { max_tokens: 1_500, keep_recent_turns: 2, summary_model: 'scripted:thrifty-sum' },
    });
    harness.scripts.set('thrifty-sum', {
      replies: [{ text: 'The user asked early questions.' }],
      after_last: 'repeat',
    });
    for (let n = 1; n <= 4; n += 1) await ask('thrifty', `question ${n}`);
    const waiting = await ask('thrifty', 'question 5');
    expect(await harness.runRecord(waiting)).toMatchObject({ status: 'waiting' });
    const [job, ...others] = harness.queue.compactions.splice(0);
    expect(others).toEqual([]);
    if (job === undefined) throw new Error('no compaction was pushed');
    await runCompactionJob(harness.deps, job);
    await harness.queue.drain(harness.deps, { compactions: false });
    expect(await harness.runRecord(waiting)).toMatchObject({ status: 'succeeded' });
    const events = await harness.events(logOf('thrifty'));
    expect(events.find(({ type }) => type === 'CompactionRequested')).toMatchObject({ data: { reason: 'budget' } });
    // Three exchanges of five are summarised: a question and an answer each.
    expect(events.find(({ type }) => type === 'ContextCompacted')).toMatchObject({
      data: { entries: [1, 6], model: 'scripted:thrifty-sum', extractive: false },
    });
    expect(textsOf('thrifty')[0]).toContain('The user asked early questions.');
    expect(textsOf('thrifty').slice(1)).toEqual(['question 4', longAnswer('long', 1_500), 'question 5']);
    expect(new Set(await verdicts('thrifty'))).toEqual(new Set(['equal']));
  });

  it('leaves turns out where there are no older exchanges to summarise, and rebuilds to the same', async () => {
    await apply('narrow', { budget: { max_context_items: 5, keep_recent_turns: 50 } });
    for (let n = 1; n <= 5; n += 1) await ask('narrow', `question ${n}`);
    // System prompt, two exchanges and the question: six items are one too many.
    expect(textsOf('narrow')).toEqual(['question 4', longAnswer('long', 1_500), 'question 5']);
    expect((await started('narrow')).at(-1)?.data).toMatchObject({ frontier: { truncated_to: 6 } });
    expect(new Set(await verdicts('narrow'))).toEqual(new Set(['equal']));
  });
});

describe('blocks', () => {
  it('keep the newest whole, beside a window too', async () => {
    const blocks = { window_width_tokens: 1_600, keep_last_blocks: 1 };
    await apply('blocky', { blocks, window: { observation_window: 2 } });
    for (let n = 1; n <= 6; n += 1) await ask('blocky', `question ${n}`);
    const last = (await started('blocky')).at(-1);
    expect(last?.data.frontier.elided_to).toBeGreaterThan(0);
    expect(last?.data.frontier.left_out_to).toBeGreaterThan(0);
    expect(textsOf('blocky').at(-1)).toBe('question 6');
    expect(new Set(await verdicts('blocky'))).toEqual(new Set(['equal']));
    const { manifest } = (await started('blocky')).at(-1)?.data ?? { manifest: null };
    expect(await contextOfStep(harness.deps, PROJECT, manifest)).toMatchObject({
      policy: { mode: 'inherit', budget: null, blocks, window: { observation_window: 2, soft_cap_chars: 400_000 } },
    });
  });
});

it('shows what another policy would have sent, with each of the three sections', async () => {
  await apply('plain', {});
  for (let n = 1; n <= 6; n += 1) await ask('plain', `question ${n}`);
  const none = await preview('plain', { window: 'off' });
  expect(none.total).toMatchObject({ calls: 6, compactions: 0, lint_violations: 0 });
  expect(none.calls.every(({ omitted }) => omitted === 0)).toBe(true);
  const budget = await preview('plain', { budget: { max_tokens: 1_000, keep_recent_turns: 1 } });
  expect(budget.total.compactions).toBeGreaterThan(0);
  expect(budget.total.chars).toBeLessThan(none.total.chars);
  const blocks = await preview('plain', { blocks: { window_width_tokens: 1_000 } });
  expect(blocks.total.compactions).toBe(0);
  expect(blocks.calls.at(-1)?.omitted).toBeGreaterThan(0);
  const all = await preview('plain', {
    window: { soft_cap_chars: 4_000, hard_cap_chars: 9_000, min_tail_turns: 1 },
    budget: { max_context_items: 6 },
    blocks: { window_width_tokens: 1_200 },
    compaction: { max_summary_chars: 1_000 },
  });
  expect(all.total).toMatchObject({ lint_violations: 0, over_hard_cap: 0 });
});
