import { rebuildCall, runCompactionJob } from '../../../libs/engine/src/index.js';
import type { ScriptedReply } from '../../../libs/models/src/index.js';
import { CompactionStage, logOf, longAnswer } from '../../support/compaction-stage.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

/** What becomes of a compaction when its models misbehave: the view is right, each request ends once, the bill is right. */
let harness: EngineHarness;
let stage: CompactionStage;
beforeAll(async () => {
  harness = await createEngineHarness();
  stage = new CompactionStage(harness);
});
afterEach(() => {
  harness.queue.compactions.splice(0);
});
afterAll(() => harness.close());

const shown = (name: string): string =>
  JSON.stringify(harness.scripts.calls(name).findLast(({ request }) => request.system === 'Help.')?.request.messages);
const agentAsked = (name: string): number =>
  harness.scripts.calls(name).filter(({ request }) => request.system !== 'Help.').length;

// context-failures rows 70, 71, 72, 77, Z5: what is thrown, empty, calls or is too long is never shown as a summary.
describe('a summariser that gives nothing usable', () => {
  const usage = { input_tokens: 100, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 5 };
  const source = 'the whole source again, ';
  it.each<[string, ScriptedReply, string]>([
    ['throws', { failure: { class: 'invalid_request' } }, 'invalid_request'],
    ['is-broken', { failure: { class: 'server_error' } }, 'server_error'],
    ['returns-nothing', { text: '' }, 'empty'],
    ['returns-whitespace', { text: ' \n\t \u00a0' }, 'empty'],
    ['only-reasons', { parts: [{ type: 'thinking', text: 'I should sum this up.' }], text: '' }, 'empty'],
    ['reasons-in-tags', { text: '<think>Let me see. The user' }, 'empty'],
    ['writes-tool-syntax', { text: '<tool_call>{"name":"now"}</tool_call>' }, 'tool_calls'],
    ['calls-tools', { tool_calls: [{ name: 'now' }], text: 'Summary.' }, 'tool_calls'],
    ['writes-more-than-it-read', { text: source.repeat(2_000) }, 'not_smaller'],
    ['writes-too-much', { text: source.repeat(60) }, 'too_long'],
    ['is-cut', { text: 'The user asked for', finish_reason: 'length' }, 'cut_by_length'],
  ])("that %s gives way to the agent's model, and that one to code", async (name, reply, failureClass) => {
    await stage.apply(name);
    harness.scripts.set(`${name}-sum`, { replies: [{ usage, ...reply }], after_last: 'repeat' });
    // The agent's model writes its long answer as a summary too, which is more than may be.
    await stage.turns(name, 1, 5);
    await stage.compactAll();
    const end = await stage.compacted(name);
    expect(end.data).toMatchObject({ extractive: true, model: 'builtin:extractive' });
    expect(end.data.failed_models?.map((one) => [one.model, one.class])).toEqual([
      [`scripted:${name}-sum`, failureClass],
      [`scripted:${name}`, 'too_long'],
    ]);
    expect([stage.calls(name), agentAsked(name)]).toEqual([1, 1]);
    expect(await stage.ends(name)).toHaveLength(1);
    await stage.turn(name, 'last');
    expect(shown(name)).toContain('[compacted history]');
    expect(shown(name)).toContain('question 1');
    expect(shown(name)).toContain('question last');
  });

  it('that echoes what it read is refused, and what it echoed is not shown as a summary', async () => {
    await stage.apply('echo');
    harness.scripts.set('echo-sum', ({ request }) => ({ text: JSON.stringify(request.messages) }));
    await stage.turns('echo', 1, 5);
    await stage.compactAll();
    expect((await stage.compacted('echo')).data.failed_models?.[0]?.class).toMatch(/^(not_smaller|too_long)$/);
  });

  it("gives way to the agent's model when that one can", async () => {
    await stage.apply('helped');
    stage.summarises('helped', { text: '' });
    harness.scripts.set('helped', ({ request }) => ({
      text: request.system === 'Help.' ? longAnswer('x') : 'The agent model summed it up.',
    }));
    await stage.turns('helped', 1, 5);
    await stage.compactAll();
    const end = await stage.compacted('helped');
    expect(end.data).toMatchObject({ extractive: false, model: 'scripted:helped' });
    expect(end.data.summary).toContain('The agent model summed it up.');
    expect(end.data.failed_models).toHaveLength(1);
  });
});

// context-failures rows 71, 127: useless calls are on the bill too.
describe('the bill (law C10)', () => {
  const usage = { input_tokens: 1_000, cached_tokens: 200, cache_write_tokens: 0, output_tokens: 50 };

  it('is on the run, the compaction and the event: all calls, also those that were of no use', async () => {
    await stage.apply('billed');
    harness.scripts.set('billed-sum', { replies: [{ text: '', usage }], after_last: 'repeat' });
    harness.scripts.set('billed', ({ request }) => ({
      text: request.system === 'Help.' ? longAnswer('x') : 'Summed up.',
      usage,
    }));
    await stage.turns('billed', 1, 5);
    const before = await usageOfRuns('billed');
    await stage.compactAll();
    const end = await stage.compacted('billed');
    const both = { input_tokens: 2_000, cached_tokens: 400, output_tokens: 100 };
    expect(end.data.usage).toMatchObject(both);
    const row = await stage.rowOf(end.data.compaction_id);
    expect(row.usage).toMatchObject({ inputTokens: 2_000, cachedTokens: 400, outputTokens: 100, modelCalls: 2 });
    const after = await usageOfRuns('billed');
    expect(after.modelCalls - before.modelCalls).toBe(2);
    expect(after.inputTokens - before.inputTokens).toBe(2_000);
  });

  it('is right when the provider asks for patience and the same compaction tries again', async () => {
    await stage.apply('patient');
    const busy = { failure: { class: 'overloaded' as const } };
    harness.scripts.set('patient-sum', { replies: [busy, { text: 'Late but good.', usage }] });
    await stage.turns('patient', 1, 5);
    await stage.compactAll();
    const end = await stage.compacted('patient');
    expect(end.data).toMatchObject({ extractive: false, usage: { input_tokens: 1_000 } });
    const row = await stage.rowOf(end.data.compaction_id);
    expect(row.attempts.map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, 'failed'],
      [2, 'summary'],
    ]);
    expect(row.usage.modelCalls).toBe(2);
  });

  it.each([
    ['goes on up to 10 % over the spend limit of its run', 1_040, { calls: 1, extractive: false }],
    ['ends there: the summary is made by selection, and says why', 1_095, { calls: 0, extractive: true }],
  ])('%s', async (name, tokens, expected) => {
    const pipeline = `limit-${tokens}`;
    await stage.apply(pipeline);
    const spent = { input_tokens: tokens - 10, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 10 };
    harness.scripts.set(pipeline, { replies: [{ text: longAnswer(name), usage: spent }], after_last: 'repeat' });
    stage.summarises(pipeline, { text: 'Paid for.' });
    const spendLimit = { tokens: 995, cost_usd: null, tool_calls: null, on_exceeded: 'fail' as const };
    for (let n = 1; n <= 5; n += 1) {
      await harness.start(pipeline, { text: `question ${n}` }, { streamId: pipeline, spendLimit });
      await harness.queue.drain(harness.deps, { compactions: false });
    }
    await stage.compactAll();
    const end = await stage.compacted(pipeline);
    expect(end.data.extractive).toBe(expected.extractive);
    expect(stage.calls(pipeline)).toBe(expected.calls);
    // Not a fault of a model: the breaker does not count it.
    expect(end.data.failed_models).toBeUndefined();
    const [attempt] = (await stage.rowOf(end.data.compaction_id)).attempts;
    if (expected.extractive) expect(attempt?.error).toContain(`has spent ${tokens} of 995 tokens`);
    else expect(attempt?.error).toBeNull();
  });

  async function usageOfRuns(streamId: string) {
    const [sums] = await harness.database
      .run((sql) => sql<{ run_id: string }[]>`select run_id from run where stream_id = ${streamId}`)
      .then((runs) =>
        Promise.all([
          Promise.all(runs.map(({ run_id }) => harness.deps.runs.usageOfRun(PROJECT, run_id))).then((all) => ({
            modelCalls: all.reduce((sum, one) => sum + one.modelCalls, 0),
            inputTokens: all.reduce((sum, one) => sum + one.inputTokens, 0),
          })),
        ]),
      );
    if (sums === undefined) throw new Error('no runs');
    return sums;
  }
});

// context-failures rows 43, 47, 48, 65, Z7
describe('back-off and breaker', () => {
  it('let one useless request through per window, and requests in between end without a call', async () => {
    await stage.apply('broken');
    harness.scripts.set('broken-sum', { replies: [{ text: '' }], after_last: 'repeat' });
    const askedAt: number[] = [];
    for (let n = 1; n <= 45; n += 1) {
      await stage.turn('broken', n);
      const before = stage.calls('broken');
      await stage.compactAll();
      if (stage.calls('broken') > before) askedAt.push(n);
    }
    const all = await stage.ends('broken');
    const withCalls = all.filter((end) => end.type === 'ContextCompacted' && end.data.failed_models !== undefined);
    expect(all.length).toBeGreaterThan(withCalls.length);
    expect(stage.calls('broken')).toBe(askedAt.length);
    for (const [index, at] of askedAt.entries()) {
      const previous = askedAt[index - 1];
      if (previous !== undefined) expect(at - previous).toBeGreaterThanOrEqual(4 * 2 ** (index - 1));
    }
    // One that can be used closes the breaker.
    stage.summarises('broken', { text: 'Well again.' });
    let n = 46;
    while ((await stage.compacted('broken')).data.extractive && n < 140) {
      await stage.turn('broken', n);
      await stage.compactAll();
      n += 1;
    }
    expect((await stage.compacted('broken')).data).toMatchObject({ extractive: false });
  }, 120_000);

  it('ask for nothing again while the history has not grown', async () => {
    await stage.apply('quiet');
    stage.summarises('quiet', { text: 'Summed up.' });
    await stage.turns('quiet', 1, 5);
    await stage.compactAll();
    harness.scripts.set('quiet', { steps: { work: [{ text: 'ok' }] } });
    await stage.turns('quiet', 6, 9);
    await stage.compactAll();
    expect(await stage.ends('quiet')).toHaveLength(1);
  });
});

// context-failures rows 31, 33, 37
it('summarises on a slow model while steps begin and end, and applies it after they did; nobody waits', async () => {
  await stage.apply('slow');
  let answer: (reply: ScriptedReply) => void = () => undefined;
  harness.scripts.set('slow-sum', () => new Promise<ScriptedReply>((resolve) => (answer = resolve)));
  await stage.turns('slow', 1, 5);
  const [job] = harness.queue.compactions.splice(0, 1);
  if (job === undefined) throw new Error('no compaction was pushed');
  const compacting = runCompactionJob(harness.deps, job);
  // As long as the summariser thinks, runs begin and end; what they write is whole afterwards, and in order.
  await stage.turns('slow', 6, 9);
  for (let n = 6; n <= 9; n += 1) expect(shown('slow')).toContain(`question ${n}`);
  answer({ text: 'The slow summary.' });
  await compacting;
  await stage.turn('slow', 10);
  const text = shown('slow');
  expect(text).toContain('The slow summary.');
  const places = [6, 7, 8, 9, 10].map((n) => text.lastIndexOf(`question ${n}`));
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places.toSorted((a, b) => a - b)).toEqual(places);
  for (const call of (await harness.events(logOf('slow'))).filter((event) => event.type === 'LlmCallStarted')) {
    const at = { projectId: PROJECT, runId: call.runId ?? '', stepId: 'work', item: null, callNo: 1, try: null };
    expect((await rebuildCall(harness.deps, at))?.verdict).toBe('equal');
  }
});

// context-failures row 40
it('serves ten streams at once, each with its own summary, also where a model gives none; each request ends once', async () => {
  await stage.apply('ten');
  harness.scripts.set('ten-sum', ({ position }) => {
    const [streamId = ''] = position.streamId.split(':');
    return isBad(streamId) ? { failure: { class: 'server_error' } } : { text: `Summary of ${position.streamId}.` };
  });
  const streams = Array.from({ length: 10 }, (_, n) => `ten-${n}`);
  const isBad = (streamId: string): boolean => Number(streamId.slice('ten-'.length)) % 3 === 0;
  for (let n = 1; n <= 5; n += 1) {
    for (const streamId of streams) await harness.start('ten', { text: `question ${n}` }, { streamId });
    await harness.queue.drain(harness.deps, { compactions: false });
  }
  const jobs = harness.queue.compactions.splice(0);
  expect(jobs).toHaveLength(10);
  const other = harness.secondWorker();
  await Promise.all(jobs.flatMap((job) => [runCompactionJob(harness.deps, job), runCompactionJob(other, job)]));
  for (const streamId of streams) {
    const log = await harness.events(logOf(streamId));
    const applied = log.filter((event) => event.type === 'ContextCompacted');
    expect(applied).toHaveLength(1);
    expect(applied[0]?.data.extractive).toBe(isBad(streamId));
    if (!isBad(streamId)) expect(applied[0]?.data.summary).toContain(`Summary of ${logOf(streamId)}.`);
  }
});

it('lets no step wait below the hard cap, whatever its summariser does', async () => {
  const [sums] = await harness.database.run(
    (sql) => sql<{ compactions: number; waits: number; waiting: number }[]>`
      select count(*)::int as compactions, sum(waits)::int as waits,
        (select count(*)::int from wait where kind = 'compaction') as waiting from compaction`,
  );
  expect(sums?.compactions).toBeGreaterThan(30);
  expect(sums).toMatchObject({ waits: 0, waiting: 0 });
});
