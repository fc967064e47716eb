import { subStreamId, type Json, type StoredEvent, type StoredEventOf } from '../../../libs/domain/src/index.js';
import { rebuildCall, runCompactionJob, sweep, type CompactionJob } from '../../../libs/engine/src/index.js';
import type { ScriptedReply } from '../../../libs/models/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

/** What becomes of a compaction when its models misbehave: the view is right, each request ends once, the bill is right. */
let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterEach(() => {
  harness.queue.compactions.splice(0);
});
afterAll(() => harness.close());

const LOREM = 'lorem ipsum dolor ';
const long = (n: number | string, chars = 1_500): string =>
  `Answer ${n}. ${LOREM.repeat(Math.ceil(chars / LOREM.length)).slice(0, chars)}`;

/** A pipeline with small caps, its own agent model and its own summariser, both scripted under its name. */
async function apply(name: string, compaction: { [key: string]: Json } = {}): Promise<void> {
  harness.scripts.set(name, { steps: { work: [{ text: long(0) }] }, after_last: 'repeat' });
  await harness.apply({
    name,
    inputs: { text: { type: 'string', required: true } },
    defaults: { model: `scripted:${name}`, retry: { max_attempts: 1 } },
    context: {
      window: { observation_window: 2, soft_cap_chars: 6_000, hard_cap_chars: 60_000, min_tail_turns: 1 },
      compaction: { mode: 'async', model: `scripted:${name}-sum`, max_summary_chars: 1_000, ...compaction },
    },
    agents: { helper: { system_prompt: 'Help.', tools: [] } },
    steps: [{ id: 'work', agent: 'helper', task: '${inputs.text}' }],
  });
}

const logOf = (name: string) => subStreamId(name, 'work', null);
const turn = async (name: string, n: number | string): Promise<void> => {
  await harness.start(name, { text: `question ${n}` }, { streamId: name });
  await harness.queue.drain(harness.deps, { compactions: false });
};
async function turns(name: string, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n += 1) await turn(name, n);
}

const summarises = (name: string, reply: ScriptedReply): void =>
  harness.scripts.set(`${name}-sum`, { replies: [reply], after_last: 'repeat' });

/** Runs the compactions that are due, retries included, without waiting for their back-off. */
async function compactAll(deps = harness.deps): Promise<void> {
  for (;;) {
    await harness.database.run((sql) => sql`update compaction set due_at = now() where ended_at is null`);
    const jobs = [...harness.queue.compactions.splice(0), ...(await deps.compactions.takeRunnableCompactions(10))];
    if (jobs.length === 0) return;
    for (const job of jobs) await runCompactionJob(deps, job);
  }
}

async function ends(name: string): Promise<StoredEvent[]> {
  const events = await harness.events(logOf(name));
  return events.filter(({ type }) => /^(ContextCompacted|Compaction(Skipped|Discarded|Failed))$/.test(type));
}

async function compacted(name: string): Promise<StoredEventOf<'ContextCompacted'>> {
  const [end] = (await ends(name)).slice(-1);
  if (end?.type !== 'ContextCompacted') throw new Error(`the last compaction of ${name} ended in ${end?.type}`);
  return end;
}

async function rowOf(compactionId: string) {
  const row = await harness.deps.compactions.getCompaction(PROJECT, compactionId);
  if (row === null) throw new Error('no such row');
  return row;
}

const shown = (name: string): string =>
  JSON.stringify(harness.scripts.calls(name).findLast(({ request }) => request.system === 'Help.')?.request.messages);
const calls = (name: string): number => harness.scripts.calls(`${name}-sum`).length;
const agentAsked = (name: string): number =>
  harness.scripts.calls(name).filter(({ request }) => request.system !== 'Help.').length;

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
    await apply(name);
    harness.scripts.set(`${name}-sum`, { replies: [{ usage, ...reply }], after_last: 'repeat' });
    // The agent's model writes its long answer as a summary too, which is more than may be.
    await turns(name, 1, 5);
    await compactAll();
    const end = await compacted(name);
    expect(end.data).toMatchObject({ extractive: true, model: 'builtin:extractive' });
    expect(end.data.failed_models?.map((one) => [one.model, one.class])).toEqual([
      [`scripted:${name}-sum`, failureClass],
      [`scripted:${name}`, 'too_long'],
    ]);
    expect([calls(name), agentAsked(name)]).toEqual([1, 1]);
    expect(await ends(name)).toHaveLength(1);
    await turn(name, 'last');
    expect(shown(name)).toContain('[compacted history]');
    expect(shown(name)).toContain('question 1');
    expect(shown(name)).toContain('question last');
  });

  it('that echoes what it read is refused, and what it echoed is not shown as a summary', async () => {
    await apply('echo');
    harness.scripts.set('echo-sum', ({ request }) => ({ text: JSON.stringify(request.messages) }));
    await turns('echo', 1, 5);
    await compactAll();
    expect((await compacted('echo')).data.failed_models?.[0]?.class).toMatch(/^(not_smaller|too_long)$/);
  });

  it("gives way to the agent's model when that one can", async () => {
    await apply('helped');
    summarises('helped', { text: '' });
    harness.scripts.set('helped', ({ request }) => ({
      text: request.system === 'Help.' ? long('x') : 'The agent model summed it up.',
    }));
    await turns('helped', 1, 5);
    await compactAll();
    const end = await compacted('helped');
    expect(end.data).toMatchObject({ extractive: false, model: 'scripted:helped' });
    expect(end.data.summary).toContain('The agent model summed it up.');
    expect(end.data.failed_models).toHaveLength(1);
  });
});

describe('the bill (law C10)', () => {
  const usage = { input_tokens: 1_000, cached_tokens: 200, cache_write_tokens: 0, output_tokens: 50 };

  it('is on the run, the compaction and the event: all calls, also those that were of no use', async () => {
    await apply('billed');
    harness.scripts.set('billed-sum', { replies: [{ text: '', usage }], after_last: 'repeat' });
    harness.scripts.set('billed', ({ request }) => ({
      text: request.system === 'Help.' ? long('x') : 'Summed up.',
      usage,
    }));
    await turns('billed', 1, 5);
    const before = await usageOfRuns('billed');
    await compactAll();
    const end = await compacted('billed');
    const both = { input_tokens: 2_000, cached_tokens: 400, output_tokens: 100 };
    expect(end.data.usage).toMatchObject(both);
    const row = await rowOf(end.data.compaction_id);
    expect(row.usage).toMatchObject({ inputTokens: 2_000, cachedTokens: 400, outputTokens: 100, modelCalls: 2 });
    const after = await usageOfRuns('billed');
    expect(after.modelCalls - before.modelCalls).toBe(2);
    expect(after.inputTokens - before.inputTokens).toBe(2_000);
  });

  it('is right when the provider asks for patience and the same compaction tries again', async () => {
    await apply('patient');
    const busy = { failure: { class: 'overloaded' as const } };
    harness.scripts.set('patient-sum', { replies: [busy, { text: 'Late but good.', usage }] });
    await turns('patient', 1, 5);
    await compactAll();
    const end = await compacted('patient');
    expect(end.data).toMatchObject({ extractive: false, usage: { input_tokens: 1_000 } });
    const row = await rowOf(end.data.compaction_id);
    expect(row.attempts.map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, 'failed'],
      [2, 'summary'],
    ]);
    expect(row.usage.modelCalls).toBe(2);
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

describe('the same range', () => {
  it('is never paid twice: a compactor that takes over finds the summary that the killed one paid for', async () => {
    await apply('killed');
    summarises('killed', { text: 'Paid for once.' });
    await turns('killed', 1, 5);
    const job = await take();
    const dies = {
      ...harness.deps,
      runs: { ...harness.deps.runs, transact: () => Promise.reject(new Error('killed')) },
    };
    await expect(runCompactionJob(dies, job)).rejects.toThrow('killed');
    expect(await ends('killed')).toEqual([]);
    await expireLeases();
    await sweep(harness.deps);
    await compactAll(harness.secondWorker());
    expect((await compacted('killed')).data.summary).toContain('Paid for once.');
    expect(calls('killed')).toBe(1);
    const row = await rowOf((await compacted('killed')).data.compaction_id);
    expect(row.usage.modelCalls).toBe(1);
    expect(row.starts).toBe(2);
  });

  it('is taken over when a compactor is killed during the call, and the dead one can write nothing any more', async () => {
    await apply('hung');
    let answer: (reply: ScriptedReply) => void = () => undefined;
    let hasCalled: () => void = () => undefined;
    const called = new Promise<void>((resolve) => (hasCalled = resolve));
    harness.scripts.set('hung-sum', () => {
      hasCalled();
      return new Promise<ScriptedReply>((resolve) => (answer = resolve));
    });
    await turns('hung', 1, 5);
    const slept = runCompactionJob(harness.deps, await take());
    await called;
    await expireLeases();
    await sweep(harness.deps);
    summarises('hung', { text: 'By the second one.' });
    await compactAll(harness.secondWorker());
    answer({ text: 'By the first one, too late.' });
    await slept;
    expect(await ends('hung')).toHaveLength(1);
    expect((await compacted('hung')).data.summary).toContain('By the second one.');
  });

  it('ends by itself when its compactors die three times in a row', async () => {
    await apply('poison');
    summarises('poison', { text: 'never' });
    await turns('poison', 1, 5);
    let job: CompactionJob | undefined = await take();
    let deaths = 0;
    while (job !== undefined) {
      const dies = {
        ...harness.deps,
        models: { ...harness.deps.models, call: () => new Promise<never>(() => undefined) },
      };
      void runCompactionJob(dies, job);
      await expireLeases(1);
      deaths += 1;
      await sweep(harness.deps);
      [job] = await harness.deps.compactions.takeRunnableCompactions(1);
    }
    expect(deaths).toBe(3);
    const [end] = await ends('poison');
    expect(end?.type === 'CompactionFailed' && end.data.class).toBe('lease_expiries');
  });

  async function take(): Promise<CompactionJob> {
    const job = harness.queue.compactions.shift();
    if (job === undefined) throw new Error('no compaction was pushed');
    return Promise.resolve(job);
  }

  /** As if all leases had run out; `atLeast` rows must be running. */
  async function expireLeases(atLeast = 0): Promise<void> {
    for (;;) {
      const rows = await harness.database.run(
        (sql) =>
          sql`update compaction set lease_until = now() - interval '1 second' where status = 'running' returning 1`,
      );
      if (rows.length >= atLeast) return;
    }
  }
});

describe('back-off and breaker', () => {
  it('let one useless request through per window, and requests in between end without a call', async () => {
    await apply('broken');
    harness.scripts.set('broken-sum', { replies: [{ text: '' }], after_last: 'repeat' });
    const askedAt: number[] = [];
    for (let n = 1; n <= 45; n += 1) {
      await turn('broken', n);
      const before = calls('broken');
      await compactAll();
      if (calls('broken') > before) askedAt.push(n);
    }
    const all = await ends('broken');
    const withCalls = all.filter((end) => end.type === 'ContextCompacted' && end.data.failed_models !== undefined);
    expect(all.length).toBeGreaterThan(withCalls.length);
    expect(calls('broken')).toBe(askedAt.length);
    for (const [index, at] of askedAt.entries()) {
      const previous = askedAt[index - 1];
      if (previous !== undefined) expect(at - previous).toBeGreaterThanOrEqual(4 * 2 ** (index - 1));
    }
    // One that can be used closes the breaker.
    summarises('broken', { text: 'Well again.' });
    let n = 46;
    while ((await compacted('broken')).data.extractive && n < 140) {
      await turn('broken', n);
      await compactAll();
      n += 1;
    }
    expect((await compacted('broken')).data).toMatchObject({ extractive: false });
  }, 120_000);

  it('ask for nothing again while the history has not grown', async () => {
    await apply('quiet');
    summarises('quiet', { text: 'Summed up.' });
    await turns('quiet', 1, 5);
    await compactAll();
    harness.scripts.set('quiet', { steps: { work: [{ text: 'ok' }] } });
    await turns('quiet', 6, 9);
    await compactAll();
    expect(await ends('quiet')).toHaveLength(1);
  });
});

it('summarises on a slow model for eight seconds while the step goes on, and waits for nothing', async () => {
  await apply('slow');
  let answer: (reply: ScriptedReply) => void = () => undefined;
  harness.scripts.set('slow-sum', () => new Promise<ScriptedReply>((resolve) => (answer = resolve)));
  await turns('slow', 1, 5);
  const [job] = harness.queue.compactions.splice(0, 1);
  if (job === undefined) throw new Error('no compaction was pushed');
  const compacting = runCompactionJob(harness.deps, job);
  // As long as the summariser thinks, runs begin and end; what they write is whole afterwards, and in order.
  await turns('slow', 6, 9);
  for (let n = 6; n <= 9; n += 1) expect(shown('slow')).toContain(`question ${n}`);
  answer({ text: 'The slow summary.' });
  await compacting;
  await turn('slow', 10);
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

it('serves ten streams at once, each with its own summary, each request ended once', async () => {
  await apply('ten');
  harness.scripts.set('ten-sum', ({ position }) => ({ text: `Summary of ${position.streamId}.` }));
  const streams = Array.from({ length: 10 }, (_, n) => `ten-${n}`);
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
    expect(applied[0]?.data.summary).toContain(`Summary of ${logOf(streamId)}.`);
  }
});
