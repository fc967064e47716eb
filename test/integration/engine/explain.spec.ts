import { pauseRun, explainRun, relay, resumeRun } from '../../../libs/engine/src/index.js';
import { waitFor } from '../../support/wait-for.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

/** What a run that says `running` is really doing, and who it waits for: the rows alone do not know. */
let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'ask',
    inputs: { key: { type: 'string', default: '' } },
    defaults: { model: 'scripted:ask' },
    agents: { a: { system_prompt: 'Answer.', tools: ['note'] } },
    tools: { note: { kind: 'builtin', builtin: 'memory_write' } },
    steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
  });
  await harness.apply({
    name: 'keyed',
    concurrency: { key: 'one', limit: 2 },
    steps: [{ id: 'rest', sleep: '1h' }],
  });
});
afterEach(() => {
  harness.queue.isAway = false;
  harness.queue.workers = 20;
});
afterAll(() => harness.close());

type Step = { detail: string; next: string | null };
const explain = async (runId: string): Promise<Record<string, unknown> & { work: Step }> => {
  const explained = await explainRun(harness.deps, PROJECT, runId);
  if (explained === null) throw new Error(`no run ${runId}`);
  const [work] = explained['steps'] as Step[];
  return { ...explained, work: work! };
};

describe('a queued step', () => {
  it('says when no worker is there to take it', async () => {
    const runId = await harness.start('ask', {});
    harness.queue.workers = 0;
    const { next, work } = await explain(runId);
    expect(work.detail).toMatch(/^In the queue since \S+; no worker is there: none has told of itself/);
    expect([next, work.next]).toEqual(Array(2).fill(expect.stringMatching(/^It starts when a worker is there/)));
    harness.queue.workers = null;
    expect((await explain(runId)).work.detail).toMatch(/^In the queue since \S+Z\.$/);
    harness.scripts.set('ask', [{ text: 'ok' }]);
    await harness.queue.drain(harness.deps);
  });

  it('says when the queue does not answer', async () => {
    harness.queue.isAway = true;
    const runId = await harness.start('ask', {});
    const { next, work } = await explain(runId);
    expect(work.detail).toBe('Runnable, and not in the queue yet; the queue does not answer.');
    expect(next).toMatch(/^It starts when the queue is back; nothing is lost meanwhile/);
    harness.queue.isAway = false;
    expect((await explain(runId)).work.detail).toMatch(/as much waits there as the workers can take soon/);
    await relay(harness.deps);
    harness.scripts.set('ask', [{ text: 'ok' }]);
    await harness.queue.drain(harness.deps);
    expect((await harness.runRecord(runId)).status).toBe('succeeded');
  });
});

describe('a running step', () => {
  it('says which model it asks, and what a pause does to it', async () => {
    let seen: Awaited<ReturnType<typeof explain>>[] = [];
    let runId = '';
    harness.scripts.set('ask', async () => {
      seen.push(await explain(runId));
      await pauseRun(harness.deps, { projectId: PROJECT, runId, reason: null });
      seen.push(await explain(runId));
      return { tool_calls: [{ id: 'c1', name: 'note', arguments: '{"key":"a","value":"b"}' }] };
    });
    runId = await harness.start('ask', {});
    await harness.queue.drain(harness.deps);
    const [before, after] = seen;
    expect(before?.work.detail).toMatch(/Model scripted:ask was asked at \S+ \(call 1\) and has not answered yet\.$/);
    expect(after?.['status_detail']).toMatch(/^Running: work\. Paused since \S+\.$/);
    expect(after?.['next']).toMatch(/^Its steps stop at their next turn boundaries, because it is paused/);
    expect(after?.work.next).toMatch(
      /^It stops at its next turn boundary, because the run is paused: weir resume RUN\./,
    );
    seen = [];
    harness.scripts.set('ask', [{ text: 'ok' }]);
    await resumeRun(harness.deps, { projectId: PROJECT, runId, spendLimit: null });
    await harness.queue.drain(harness.deps);
  });

  it('says when its lease ran out, so that nobody holds it', async () => {
    const runId = await harness.start('ask', {});
    const [job] = harness.queue.steps.splice(0);
    await harness.deps.runs.claimStep({ ...job!, workerId: 'gone', leaseMs: 1 });
    await waitFor(async () => (await explain(runId)).work.detail.includes('gone, or stands still'));
    expect((await explain(runId)).work).toMatchObject({
      detail: expect.stringMatching(/^Worker gone held it and is gone, or stands still: its lease ran out at /),
      next: 'The sweeper of any process gives it to another worker within seconds.',
    });
  });
});

it('a run in line for a slot of its concurrency key names those that have them', async () => {
  const runs: string[] = [];
  for (let n = 0; n < 3; n += 1) runs.push(await harness.start('keyed', {}));
  expect(await explain(runs[2] ?? '')).toMatchObject({
    status_reason: 'concurrency',
    status_detail: expect.stringContaining(`now: ${runs[0]}, ${runs[1]}.`),
    blocked_on: [
      { kind: 'run', id: runs[0] },
      { kind: 'run', id: runs[1] },
    ],
  });
});
