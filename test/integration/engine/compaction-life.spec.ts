import { subStreamId, type Json, type StoredEvent } from '../../../libs/domain/src/index.js';
import {
  explainRun,
  rebuildCall,
  requestStreamCompaction,
  retryCompaction,
  retryRun,
  rollBackCompaction,
  runCompactionJob,
} from '../../../libs/engine/src/index.js';
import type { ScriptedReply } from '../../../libs/models/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

/** Undone, asked for again, asked for by people; and streams that stand at their hard cap. */
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

async function apply(name: string, window: { [field: string]: Json } = {}): Promise<void> {
  await harness.apply({
    name,
    inputs: { text: { type: 'string', required: true } },
    defaults: { model: `scripted:${name}`, retry: { max_attempts: 1 } },
    context: {
      window: { observation_window: 2, soft_cap_chars: 6_000, hard_cap_chars: 60_000, min_tail_turns: 1, ...window },
      compaction: { mode: 'async', model: `scripted:${name}-sum`, max_summary_chars: 1_000 },
    },
    agents: { helper: { system_prompt: 'Help.', tools: [] } },
    steps: [{ id: 'work', agent: 'helper', task: '${inputs.text}' }],
  });
}

const logOf = (name: string) => subStreamId(name, 'work', null);

async function turns(name: string, from: number, to: number, chars = 1_500): Promise<void> {
  for (let n = from; n <= to; n += 1) {
    harness.scripts.set(name, { steps: { work: [{ text: long(n, chars) }] } });
    await harness.start(name, { text: `question ${n}` }, { streamId: name });
    await harness.queue.drain(harness.deps, { compactions: false });
  }
}

async function compact(): Promise<string> {
  const [job] = harness.queue.compactions.splice(0);
  if (job === undefined) throw new Error('no compaction was pushed');
  await runCompactionJob(harness.deps, job);
  return job.compactionId;
}

const rowOf = (compactionId: string) => harness.deps.compactions.getCompaction(PROJECT, compactionId);

async function shown(name: string): Promise<string> {
  harness.scripts.set(name, { steps: { work: [{ text: 'ok' }] } });
  await harness.start(name, { text: 'what now?' }, { streamId: name });
  await harness.queue.drain(harness.deps, { compactions: false });
  return JSON.stringify(harness.scripts.calls(name).at(-1)?.request.messages);
}

async function rebuilds(name: string): Promise<(string | undefined)[]> {
  const events = await harness.events(logOf(name));
  const calls = events.filter((event) => event.type === 'LlmCallStarted');
  return Promise.all(
    calls.map(async ({ runId }) => {
      const at = { projectId: PROJECT, runId: runId ?? '', stepId: 'work', item: null, callNo: 1, try: null };
      return (await rebuildCall(harness.deps, at))?.verdict;
    }),
  );
}

const requestFor = (streamId: string, minTailTurns: number | null = null) =>
  requestStreamCompaction(harness.deps, {
    projectId: PROJECT,
    streamId,
    stepId: 'work',
    item: null,
    runId: null,
    minTailTurns,
  });

describe('a roll back', () => {
  it('gives the summary before, then the raw events again, and contexts rebuild to their hashes all the while', async () => {
    await apply('undone');
    harness.scripts.set('undone-sum', { replies: [{ text: 'The first summary.' }] });
    await turns('undone', 1, 5);
    const first = await compact();
    harness.scripts.set('undone-sum', { replies: [{ text: 'The second summary.' }] });
    await turns('undone', 6, 10);
    const second = await compact();
    expect(await shown('undone')).toContain('The second summary.');
    const rollBack = (compactionId: string) => rollBackCompaction(harness.deps, { projectId: PROJECT, compactionId });

    expect(await rollBack(first)).toEqual({ status: 'not_live', live: second });
    expect(await rollBack(second)).toEqual({ status: 'rolled_back', compactionId: second, restores: first });
    expect(await rowOf(second)).toMatchObject({ status: 'rolled_back', live: false });
    expect(await rowOf(first)).toMatchObject({ status: 'compacted', live: true });
    const between = await shown('undone');
    expect(between).toContain('The first summary.');
    expect(between).not.toContain('The second summary.');
    expect(between).toContain('Answer 6.');

    harness.queue.compactions.splice(0);
    expect(await rollBack(first)).toMatchObject({ status: 'rolled_back', restores: null });
    const raw = await shown('undone');
    for (let n = 1; n <= 10; n += 1) expect(raw).toContain(`Answer ${n}.`);
    expect(raw).not.toContain('[compacted history]');
    expect(await rollBack(first)).toEqual({ status: 'not_applied', compactionStatus: 'rolled_back' });
    const verdicts = await rebuilds('undone');
    expect(verdicts.length).toBeGreaterThan(12);
    expect(new Set(verdicts)).toEqual(new Set(['equal']));
    const events = await harness.events(logOf('undone'));
    expect(events.flatMap((event) => (event.type === 'CompactionRolledBack' ? [event.data] : []))).toMatchObject([
      { compaction_id: second, restores: first, source_digest: (await rowOf(second))?.sourceDigest },
      { compaction_id: first, restores: null },
    ]);
  });

  it('bars the range: it is not paid for again, neither by a retry nor by a request for the same', async () => {
    await apply('barred');
    harness.scripts.set('barred-sum', { replies: [{ text: 'A bad summary.' }], after_last: 'repeat' });
    await turns('barred', 1, 5);
    const id = await compact();
    const paid = harness.scripts.calls('barred-sum').length;
    await rollBackCompaction(harness.deps, { projectId: PROJECT, compactionId: id });
    const row = await rowOf(id);
    const query = {
      projectId: PROJECT,
      sourceDigest: row?.sourceDigest ?? '',
      maxSummaryChars: row?.maxSummaryChars ?? 0,
    };
    expect(await harness.deps.compactions.findCachedSummary({ ...query, model: 'scripted:barred-sum' })).toBeNull();
    expect(await retryCompaction(harness.deps, { projectId: PROJECT, compactionId: id })).toEqual({
      status: 'not_retryable',
      compactionStatus: 'rolled_back',
    });
    // Where nothing but that range may be summarised, an admin's request is refused without a call.
    const turnsOfTail = 5 - (row?.entries[1] ?? 0) / 2;
    expect(await requestFor('barred', turnsOfTail)).toMatchObject({
      status: 'nothing_to_compact',
      detail: expect.stringContaining('rolled back'),
    });
    expect(harness.scripts.calls('barred-sum')).toHaveLength(paid);
  });

  it('discards a summary that was being made on top of the one that is gone', async () => {
    await apply('meanwhile');
    harness.scripts.set('meanwhile-sum', { replies: [{ text: 'The first summary.' }] });
    await turns('meanwhile', 1, 5);
    const first = await compact();
    await turns('meanwhile', 6, 10);
    let answer: (reply: ScriptedReply) => void = () => undefined;
    let hasCalled: () => void = () => undefined;
    const called = new Promise<void>((resolve) => (hasCalled = resolve));
    harness.scripts.set('meanwhile-sum', () => {
      hasCalled();
      return new Promise<ScriptedReply>((resolve) => (answer = resolve));
    });
    const second = compact();
    await called;
    await rollBackCompaction(harness.deps, { projectId: PROJECT, compactionId: first });
    answer({ text: 'On top of the first one.' });
    expect(await rowOf(await second)).toMatchObject({ status: 'discarded', live: false });
    const ends = (await harness.events(logOf('meanwhile'))).filter((event) => event.type === 'CompactionDiscarded');
    expect(ends.map(({ data }) => data.reason)).toEqual(['rolled_back']);
    expect(await shown('meanwhile')).toContain('Answer 1.');
  });
});

describe('a request of an admin', () => {
  it('summarises all that may be, below every cap, and the next context shows it', async () => {
    await apply('asked', { soft_cap_chars: 50_000 });
    harness.scripts.set('asked-sum', { replies: [{ text: 'As the admin wished.' }] });
    await turns('asked', 1, 4);
    expect(harness.queue.compactions).toEqual([]);
    const result = await requestFor('asked');
    expect(result.status).toBe('requested');
    expect(await requestFor('asked')).toMatchObject({ status: 'already_open' });
    const id = await compact();
    expect(await rowOf(id)).toMatchObject({ status: 'compacted', reason: 'requested', entries: [1, 6] });
    expect(await shown('asked')).toContain('As the admin wished.');
    expect(new Set(await rebuilds('asked'))).toEqual(new Set(['equal']));
  });

  it('is refused where nothing has begun, and where nothing is left to summarise', async () => {
    await apply('small');
    expect(await requestFor('small')).toEqual({ status: 'step_not_started' });
    await turns('small', 1, 1, 10);
    expect(await requestFor('small')).toMatchObject({ status: 'nothing_to_compact' });
  });

  it('retries a compaction that was not applied as a request of its own', async () => {
    await apply('again');
    harness.scripts.set('again-sum', { replies: [{ text: 'Not this time.' }] });
    await turns('again', 1, 5);
    const [job] = harness.queue.compactions.splice(0);
    if (job === undefined) throw new Error('no compaction was pushed');
    const broken = {
      ...harness.deps,
      models: { ...harness.deps.models, call: () => Promise.reject(new Error('bug')) },
    };
    for (let attempt = 0; attempt < 3; attempt += 1)
      await runCompactionJob(broken, { ...job, dispatchNo: job.dispatchNo + attempt });
    expect(await rowOf(job.compactionId)).toMatchObject({ status: 'failed', live: false });
    harness.scripts.set('again-sum', { replies: [{ text: 'This time.' }] });
    const retried = await retryCompaction(harness.deps, { projectId: PROJECT, compactionId: job.compactionId });
    expect(retried.status).toBe('requested');
    const id = await compact();
    expect(await rowOf(id)).toMatchObject({ status: 'compacted', reason: 'retry' });
    expect(await shown('again')).toContain('This time.');
    const last = await retryCompaction(harness.deps, { projectId: PROJECT, compactionId: job.compactionId });
    expect(last).toMatchObject({ status: 'range_refused' });
  });
});

describe('a stream that stands at its hard cap', () => {
  const tight = { soft_cap_chars: 8_000, hard_cap_chars: 9_000, min_tail_turns: 4 };

  async function stuck(name: string): Promise<string> {
    await apply(name, tight);
    harness.scripts.set(`${name}-sum`, { replies: [{ text: 'What was said.' }], after_last: 'repeat' });
    await turns(name, 1, 2, 3_500);
    harness.scripts.set(name, { steps: { work: [{ text: 'went on' }] }, after_last: 'repeat' });
    const runId = await harness.start(name, { text: `last question ${LOREM.repeat(150)}` }, { streamId: name });
    await harness.untilEnded(runId);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'failed', error: { code: 'over_hard_cap' } });
    return runId;
  }

  it('says size, cap, the five largest parts and the knob alike in event, error and explanation', async () => {
    const runId = await stuck('told');
    const events: StoredEvent[] = await harness.events(logOf('told'));
    const exceeded = events.flatMap((event) => (event.type === 'HardCapExceeded' ? [event.data] : [])).at(-1);
    expect(exceeded?.contributors.length).toBeLessThanOrEqual(5);
    expect(exceeded?.contributors[0]).toMatchObject({ kind: 'assistant', chars: expect.any(Number) });
    const { error } = await harness.runRecord(runId);
    expect(error?.detail).toContain(exceeded?.knob);
    expect(error?.detail).toContain(String(exceeded?.size));
    expect(error?.detail).toContain(`(${JSON.stringify(exceeded?.contributors[0]?.['chars'])} chars)`);
    const explained = await explainRun(harness.deps, PROJECT, runId);
    expect(explained?.['steps']).toMatchObject([{ step_id: 'work', hard_cap: exceeded }]);
  });

  it('goes on when the policy is changed and the run retried', async () => {
    const runId = await stuck('changed');
    await apply('changed', { ...tight, hard_cap_chars: 20_000 });
    expect(await retryRun(harness.deps, { projectId: PROJECT, runId, version: 'live' })).toMatchObject({
      status: 'retried',
    });
    expect(await harness.untilEnded(runId)).toMatchObject({ status: 'succeeded', output: 'went on' });
  });

  it('goes on when an admin has its tail summarised and the run retried', async () => {
    const runId = await stuck('freed');
    expect(await requestFor('freed')).toMatchObject({ status: 'nothing_to_compact' });
    expect(await requestFor('freed', 0)).toMatchObject({ status: 'requested' });
    await compact();
    await retryRun(harness.deps, { projectId: PROJECT, runId, version: 'pinned' });
    expect(await harness.untilEnded(runId)).toMatchObject({ status: 'succeeded', output: 'went on' });
    expect(JSON.stringify(harness.scripts.calls('freed').at(-1)?.request.messages)).toContain('What was said.');
  });
});
