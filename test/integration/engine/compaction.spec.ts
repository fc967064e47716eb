import { subStreamId, type Json } from '../../../libs/domain/src/index.js';
import {
  explainRun,
  rebuildCall,
  runCompactionJob,
  sweep,
  wakeDue,
  type CompactionJob,
} from '../../../libs/engine/src/index.js';
import { waitFor } from '../../support/wait-for.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await apply('async', { mode: 'async', model: 'scripted:summariser', max_summary_chars: 1_000 });
  await apply('fresh', { mode: 'async', model: 'scripted:summariser', max_summary_chars: 1_000 }, 'fresh');
  await apply('waits', { mode: 'async', model: 'scripted:summariser', max_summary_chars: 1_000, wait_ms: 60_000 });
  await apply('expires', { mode: 'async', model: 'scripted:summariser', max_summary_chars: 1_000, wait_ms: 1 });
});
afterEach(() => {
  harness.queue.compactions.splice(0);
});
afterAll(() => harness.close());

/** A small window, so that a handful of long answers passes its caps. */
async function apply(name: string, compaction: Json, mode = 'inherit'): Promise<void> {
  await harness.apply({
    name,
    inputs: { text: { type: 'string', required: true } },
    defaults: { model: `scripted:${name}`, retry: { max_attempts: 1 } },
    context: {
      window: { observation_window: 2, soft_cap_chars: 6_000, hard_cap_chars: 9_000, min_tail_turns: 1 },
      compaction,
    },
    agents: { helper: { system_prompt: 'Help.', tools: ['now'] } },
    steps: [{ id: 'work', agent: 'helper', task: '${inputs.text}', context: { mode } }],
  });
}

/** Says something long about the number n; with `total` calls of a tool first, one a turn. */
const long = (n: number | string, chars = 1_500): string =>
  `Answer ${n}. ${'lorem ipsum dolor '.repeat(Math.ceil(chars / 18)).slice(0, chars)}`;

async function fill(pipeline: string, streamId: string, turns: number, from = 1): Promise<void> {
  for (let turn = from; turn < from + turns; turn += 1) {
    harness.scripts.set(pipeline, { steps: { work: [{ text: long(turn) }] } });
    await harness.start(pipeline, { text: `question ${turn}` }, { streamId });
    await harness.queue.drain(harness.deps, { compactions: false });
  }
}

async function compactionEvents(streamId: string): Promise<string[]> {
  const events = await harness.events(subStreamId(streamId, 'work', null));
  return events.flatMap((event) => (/Compact/.test(event.type) ? [event.type] : []));
}

/** The job of this stream: others may have been dispatched again by a sweep. */
async function take(streamId: string): Promise<CompactionJob> {
  const jobs = harness.queue.compactions.splice(0);
  for (const job of jobs) {
    const row = await harness.deps.compactions.getCompaction(PROJECT, job.compactionId);
    if (row?.streamId === subStreamId(streamId, 'work', null)) return job;
  }
  throw new Error(`no compaction of ${streamId} was pushed`);
}

function lastTexts(script: string): string[] {
  const call = harness.scripts.calls(script).at(-1);
  return (
    call?.request.messages.map((message) =>
      message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    ) ?? []
  );
}

describe('below the hard cap', () => {
  it('asks for a compaction once, goes on meanwhile, and shows the summary afterwards with the tail whole', async () => {
    harness.scripts.set('summariser', {
      replies: [{ text: 'The user asked questions 1 to 4; all were answered.' }],
      after_last: 'repeat',
    });
    await fill('async', 'below', 5);
    expect(await compactionEvents('below')).toEqual(['CompactionRequested']);
    const job = await take('below');
    await fill('async', 'below', 1, 6);
    await runCompactionJob(harness.deps, job);
    expect(await compactionEvents('below')).toEqual(['CompactionRequested', 'ContextCompacted']);
    harness.scripts.set('async', { steps: { work: [{ text: 'short' }] } });
    await harness.run('async', { text: 'and then?' }, { streamId: 'below' });
    const texts = lastTexts('async');
    expect(texts[0]).toContain('[compacted history]');
    expect(texts[0]).toContain('all were answered');
    expect(texts.at(-1)).toContain('and then?');
    // The user's own words stay, by code.
    expect(texts.join('\n')).toContain('question 1');
    expect(texts.join('\n')).not.toContain('Answer 1.');
  });

  it('lets the summariser see the originals and nothing of the system prompt', () => {
    const call = harness.scripts.calls('summariser').at(-1);
    const text = JSON.stringify(call?.request.messages);
    expect(text).toContain('Answer 1.');
    expect(text).toContain('question 1');
    expect(JSON.stringify(call?.request)).not.toContain('"Help."');
    expect(call?.request.tools).toEqual([]);
  });

  it('rebuilds the calls before and after the compaction to their recorded hashes', async () => {
    const events = await harness.events('below:step:work');
    const started = events.filter((event) => event.type === 'LlmCallStarted');
    for (const call of started) {
      const rebuilt = await rebuildCall(harness.deps, {
        projectId: PROJECT,
        runId: call.runId ?? '',
        stepId: 'work',
        item: null,
        callNo: call.data.call_no,
        try: null,
      });
      expect(rebuilt?.verdict).toBe('equal');
    }
    expect(started.length).toBeGreaterThan(5);
  });
});

describe('above the hard cap', () => {
  async function waiting(streamId: string, pipeline: string): Promise<string> {
    harness.scripts.set('summariser', { replies: [{ text: 'Summary of what was said.' }], after_last: 'repeat' });
    await fill(pipeline, streamId, 4);
    harness.queue.compactions.splice(0);
    harness.scripts.set(pipeline, { steps: { work: [{ text: 'went on' }] } });
    const runId = await harness.start(pipeline, { text: long('question', 4_000) }, { streamId });
    await harness.queue.drain(harness.deps, { compactions: false });
    return runId;
  }

  it('waits without a slot and goes on at once when the compaction ends', async () => {
    const runId = await waiting('above', 'waits');
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'waiting' });
    expect(harness.deps.held.all()).toEqual([]);
    const [step] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
    expect(step).toMatchObject({
      ...{ status: 'waiting', reason: 'compaction' },
      waitingKey: expect.stringMatching(/^cmp_/),
    });
    await endOpenCompaction('above');
    // The end of the compaction pushed the step: no timer, no sweep.
    expect(harness.queue.steps).toHaveLength(1);
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'went on' });
  });

  it('says whether a compactor holds what it waits for', async () => {
    const runId = await waiting('unheld', 'waits');
    const job = await take('unheld');
    const explain = async (): Promise<string> => JSON.stringify(await explainRun(harness.deps, PROJECT, runId));
    const unheld = await explain();
    expect(unheld).toMatch(
      /waits for compaction \S+ until \S+ at the latest\. No compactor holds it; it was requested at \S+Z\./,
    );
    expect(unheld.match(/A free compactor takes it: if none does, start one/g)).toHaveLength(2);
    await harness.deps.compactions.claimCompaction({ ...job, workerId: 'c', leaseMs: 60_000 });
    expect(await explain()).not.toMatch(/No compactor|free compactor/);
  });

  it('is saved by the ladder when the compactor does not come', async () => {
    const runId = await waiting('expired', 'expires');
    await waitFor(async () => {
      await wakeDue(harness.deps);
      await harness.queue.drain(harness.deps, { compactions: false });
      return (await harness.runRecord(runId)).endedAt;
    });
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'went on' });
    const events = await harness.events('expired:step:work');
    expect(events.some((event) => event.type === 'CompactionWaitExpired')).toBe(true);
    expect(events.every((event) => event.type !== 'HardCapExceeded')).toBe(true);
  });

  it('is woken by the sweeper when the compactor dies between the end and the wake-up', async () => {
    const runId = await waiting('woken', 'waits');
    const { runs: store } = harness.deps;
    const runs = { ...store, getStepRun: () => Promise.reject(new Error('died')) };
    await expect(runCompactionJob({ ...harness.deps, runs }, await take('woken'))).rejects.toThrow('died');
    expect((await compactionEvents('woken')).at(-1)).toBe('ContextCompacted');
    expect(harness.queue.steps).toHaveLength(0);
    await sweep(harness.deps);
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'went on' });
  });

  it('fails with contributors and the knob to turn when nothing can be compacted', async () => {
    harness.scripts.set('async', { steps: { work: [{ text: 'never' }] } });
    const runId = await harness.start('async', { text: long('huge', 20_000) }, { streamId: 'huge' });
    await harness.untilEnded(runId);
    const run = await harness.runRecord(runId);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'over_hard_cap' } });
    expect(run.error?.detail).toMatch(/hard_cap_chars|9000|9,000/);
    const events = await harness.events('huge:step:work');
    const exceeded = events.find((event) => event.type === 'HardCapExceeded');
    expect(exceeded?.type === 'HardCapExceeded' && exceeded.data.contributors.length).toBeGreaterThan(0);
  });

  async function endOpenCompaction(streamId: string): Promise<void> {
    await runCompactionJob(harness.deps, await take(streamId));
    expect((await compactionEvents(streamId)).at(-1)).toBe('ContextCompacted');
  }
});

describe('summaries that must not be applied', () => {
  it('discards a summary whose range was superseded meanwhile, and one of two at once', async () => {
    harness.scripts.set('summariser', { replies: [{ text: 'First summary.' }], after_last: 'repeat' });
    await fill('async', 'twice', 5);
    const job = await take('twice');
    const both = await Promise.all([
      runCompactionJob(harness.deps, job),
      runCompactionJob(harness.secondWorker(), job),
    ]);
    expect(both).toHaveLength(2);
    expect((await compactionEvents('twice')).filter((type) => type === 'ContextCompacted')).toHaveLength(1);
    await runCompactionJob(harness.deps, job);
    expect((await compactionEvents('twice')).filter((type) => type === 'ContextCompacted')).toHaveLength(1);
  });

  it('discards a summary of events that are not those of the range', async () => {
    harness.scripts.set('summariser', { replies: [{ text: 'A summary.' }], after_last: 'repeat' });
    await fill('async', 'digest', 5);
    const job = await take('digest');
    const tampered: typeof harness.deps = {
      ...harness.deps,
      log: {
        ...harness.deps.log,
        append: (units) => harness.deps.log.append(units),
        digests: async (query) =>
          (await harness.deps.log.digests(query)).map((event) => ({ ...event, digest: 'other' })),
        getPayload: (projectId, hash) => harness.deps.log.getPayload(projectId, hash),
      },
    };
    await runCompactionJob(tampered, job);
    const events = await harness.events('digest:step:work');
    const discarded = events.find((event) => event.type === 'CompactionDiscarded');
    expect(discarded?.type === 'CompactionDiscarded' && discarded.data.reason).toBe('digest_differs');
  });
});

it('never shows a fresh step an earlier run, also after compactions', async () => {
  harness.scripts.set('summariser', { replies: [{ text: 'Compacted.' }], after_last: 'repeat' });
  await fill('fresh', 'fresh-compacted', 6);
  await harness.queue.drain(harness.deps);
  harness.scripts.set('fresh', { steps: { work: [{ text: 'only mine' }] } });
  await harness.run('fresh', { text: 'the last' }, { streamId: 'fresh-compacted' });
  expect(lastTexts('fresh')).toEqual(['the last']);
});
