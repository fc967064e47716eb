import type { Json, StoredSpendLimit } from '../../../libs/domain/src/index.js';
import {
  cancelRun,
  explainRun,
  pauseRun,
  resumeRun,
  retryRun,
  startRun,
  sweep,
} from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';
import { waitFor } from '../../support/wait-for.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

const tool = { name: 'now' };
const limit = (overrides: Partial<StoredSpendLimit>): StoredSpendLimit => ({
  tokens: null,
  cost_usd: null,
  tool_calls: null,
  on_exceeded: 'pause',
  ...overrides,
});

describe('a pause', () => {
  beforeAll(async () => {
    await harness.apply({
      name: 'worker',
      defaults: { model: 'scripted:worker' },
      agents: { a: { tools: ['now'] } },
      steps: [
        { id: 'work', agent: 'a', task: 'Go.' },
        { id: 'after', depends_on: ['work'], transform: '${steps.work.output}' },
      ],
    });
  });

  it('takes hold at the next turn boundary, and the run goes on from there when it is resumed', async () => {
    let runId = '';
    harness.scripts.set('worker', async ({ position }) => {
      if (position.callNo > 1) return { text: 'done' };
      await pauseRun(harness.deps, { projectId: PROJECT, runId, reason: 'lunch' });
      return { tool_calls: [tool] };
    });
    runId = await harness.start('worker', {});
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'waiting' });
    expect(await explainRun(harness.deps, PROJECT, runId)).toMatchObject({
      status_reason: 'paused',
      allowed_actions: ['cancel', 'resume'],
    });
    expect(harness.scripts.calls('worker')).toHaveLength(1);
    await expectProjectionsEqualEvents(harness, runId);
    await resumeRun(harness.deps, { projectId: PROJECT, runId, spendLimit: null });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'done' });
    expect(harness.scripts.calls('worker')).toHaveLength(2);
    const [step] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
    expect(step).toMatchObject({ attempt: 1 });
    await expectProjectionsEqualEvents(harness, runId);
  });

  it('is lifted by the sweeper when whoever resumed the run died before waking its steps', async () => {
    harness.scripts.set('worker', () => ({ text: 'done' }));
    const runId = await harness.start('worker', {});
    await pauseRun(harness.deps, { projectId: PROJECT, runId, reason: null });
    await harness.queue.drain(harness.deps);
    // It is looked at, and left: that is no mending.
    expect(await sweep(harness.deps)).toMatchObject({ woken: 0 });
    expect((await harness.runRecord(runId)).status).toBe('waiting');
    const dying = { ...harness.deps, runs: { ...harness.deps.runs, stepsWaitingFor: () => Promise.resolve([]) } };
    await resumeRun(dying, { projectId: PROJECT, runId, spendLimit: null });
    expect((await harness.runRecord(runId)).status).toBe('waiting');
    expect(await sweep(harness.deps)).toMatchObject({ woken: 1 });
    await harness.queue.drain(harness.deps);
    expect((await harness.runRecord(runId)).status).toBe('succeeded');
  });

  it('keeps new steps from beginning, can be repeated, and ends with the run', async () => {
    harness.scripts.set('worker', () => ({ text: 'done' }));
    const runId = await harness.start('worker', {});
    await pauseRun(harness.deps, { projectId: PROJECT, runId, reason: null });
    await pauseRun(harness.deps, { projectId: PROJECT, runId, reason: null });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(runId)).toMatchObject({ status: 'waiting' });
    await resumeRun(harness.deps, { projectId: PROJECT, runId, spendLimit: null });
    await pauseRun(harness.deps, { projectId: PROJECT, runId, reason: 'again' });
    await harness.queue.drain(harness.deps);
    expect(await cancelRun(harness.deps, { projectId: PROJECT, runId, reason: null })).toEqual({ status: 'cancelled' });
    expect(await resumeRun(harness.deps, { projectId: PROJECT, runId, spendLimit: null })).toMatchObject({
      status: 'already_ended',
    });
    await expectProjectionsEqualEvents(harness, runId);
  });
});

describe('a spend limit', () => {
  const document = (name: string, spendLimit: { [key: string]: Json }): Json => ({
    name,
    ...spendLimit,
    defaults: { model: 'scripted:spender' },
    agents: { a: { tools: ['now'] } },
    steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
  });
  beforeAll(async () => {
    await harness.apply(document('careful', { spend_limit: { tool_calls: 2 } }));
    await harness.apply(document('strict', { spend_limit: { tool_calls: 1, on_exceeded: 'fail' } }));
    await harness.apply({
      name: 'spends-below',
      spend_limit: { tool_calls: 2 },
      steps: [{ id: 'call', pipeline: 'no-limit' }],
    });
    await harness.apply(document('no-limit', {}));
    harness.scripts.set('spender', ({ position }) =>
      position.callNo > 3 ? { text: 'spent' } : { tool_calls: [tool] },
    );
  });

  it('stops the run before the next call, tells so, and lets it go on when it is raised', async () => {
    const run = await harness.run('careful', {});
    expect(run.status).toBe('waiting');
    expect(await explainRun(harness.deps, PROJECT, run.runId)).toMatchObject({
      status_reason: 'spend_limit',
      allowed_actions: ['cancel', 'pause', 'resume'],
      steps: [{ detail: expect.stringContaining(`run ${run.runId} has spent 2 of 2 tool calls`) }],
    });
    expect((await harness.deps.runs.usageOfRun(PROJECT, run.runId)).toolCalls).toBe(2);
    await resumeRun(harness.deps, { projectId: PROJECT, runId: run.runId, spendLimit: null });
    await harness.queue.drain(harness.deps);
    expect((await harness.runRecord(run.runId)).status).toBe('waiting');
    const at = { projectId: PROJECT, runId: run.runId };
    expect(await resumeRun(harness.deps, { ...at, spendLimit: limit({ tool_calls: 2 }) })).toEqual({
      status: 'limit_spent',
      spent: `run ${run.runId} has spent 2 of 2 tool calls`,
    });
    await resumeRun(harness.deps, { ...at, spendLimit: limit({ tool_calls: 10 }) });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(run.runId)).toMatchObject({ status: 'succeeded', output: 'spent' });
    await expectProjectionsEqualEvents(harness, run.runId);
  });

  it('leaves an answer that is there as it is: nothing is spent any more', async () => {
    const steps: Json = [{ id: 'work', agent: 'a', task: 'Go.' }];
    const agents: Json = { a: { model: 'scripted:brief' } };
    harness.scripts.set('brief', () => ({
      text: 'said',
      usage: { input_tokens: 10, cached_tokens: 0, output_tokens: 10 },
    }));
    await harness.apply({ name: 'last-word', spend_limit: { tokens: 1 }, agents, steps });
    expect(await harness.run('last-word', {})).toMatchObject({ status: 'succeeded' });
  });

  it('fails the run where it says so', async () => {
    expect(await harness.run('strict', {})).toMatchObject({ status: 'failed', error: { code: 'spend_limit' } });
  });

  it('counts what child runs spend, and stops them', async () => {
    const run = await harness.run('spends-below', {});
    const standing = await harness.deps.runs.standing(PROJECT, run.runId);
    expect(standing.spending).toMatchObject([{ spent: { toolCalls: 2 } }]);
    expect(run.status).toBe('waiting');
    await resumeRun(harness.deps, { projectId: PROJECT, runId: run.runId, spendLimit: limit({ tool_calls: 10 }) });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(run.runId)).toMatchObject({ status: 'succeeded', output: 'spent' });
  });
});

describe('a concurrency key', () => {
  beforeAll(async () => {
    await harness.apply({
      name: 'keyed',
      inputs: { who: { type: 'string', required: true } },
      concurrency: { key: '${inputs.who}', limit: 2 },
      defaults: { model: 'scripted:keyed' },
      agents: { a: {} },
      steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
    });
    harness.scripts.set('keyed', () => ({ text: 'done' }));
  });
  const statuses = (runIds: string[]) => Promise.all(runIds.map(async (id) => (await harness.runRecord(id)).status));

  it('lets its limit of runs go at once, others of other keys beside them, and all in the end', async () => {
    const mine: string[] = [];
    for (let n = 0; n < 5; n += 1) mine.push(await harness.start('keyed', { who: 'me' }));
    const other = await harness.start('keyed', { who: '*' });
    expect(await statuses(mine)).toEqual(['running', 'running', 'queued', 'queued', 'queued']);
    expect(await statuses([other])).toEqual(['running']);
    expect(await explainRun(harness.deps, PROJECT, mine[2] ?? '')).toMatchObject({ status_reason: 'concurrency' });
    await harness.queue.drain(harness.deps);
    expect(await statuses([...mine, other])).toEqual(Array(6).fill('succeeded'));
  });

  it('frees a slot when a run is cancelled, and takes odd keys', async () => {
    for (const who of ['', '*', '🙂', 'k'.repeat(10_000)]) {
      const runs: string[] = [];
      for (let n = 0; n < 3; n += 1) runs.push(await harness.start('keyed', { who }));
      await cancelRun(harness.deps, { projectId: PROJECT, runId: runs[0] ?? '', reason: null });
      expect(await statuses(runs)).toEqual(['cancelled', 'running', 'running']);
      expect(await retryRun(harness.deps, { projectId: PROJECT, runId: runs[0] ?? '', version: 'pinned' })).toEqual({
        status: 'concurrency',
        limit: 2,
      });
      await harness.queue.drain(harness.deps);
      expect(await statuses(runs)).toEqual(['cancelled', 'succeeded', 'succeeded']);
    }
  });

  it('is never passed, and every slot used, whatever is started, ended, cancelled at once', async () => {
    const runs = await Promise.all(Array.from({ length: 12 }, () => harness.start('keyed', { who: 'storm' })));
    await Promise.all(
      runs.slice(0, 4).map((runId) => cancelRun(harness.deps, { projectId: PROJECT, runId, reason: null })),
    );
    const active = async () => (await statuses(runs)).filter((status) => status === 'running').length;
    await sweep(harness.deps);
    expect(await active()).toBe(2);
    await waitFor(async () => {
      expect(await active()).toBeLessThanOrEqual(2);
      await sweep(harness.deps);
      await harness.queue.drain(harness.deps);
      return (await statuses(runs)).every((status) => status === 'succeeded' || status === 'cancelled') ? true : null;
    });
    // The next one finds no slot that was lost.
    const next = [await harness.start('keyed', { who: 'storm' }), await harness.start('keyed', { who: 'storm' })];
    expect(await statuses(next)).toEqual(['running', 'running']);
    await harness.queue.drain(harness.deps);
  });
});

describe('a canary', () => {
  it('gets its share of new runs, and a stream always the same version', async () => {
    const document = (said: string): Json => ({ name: 'canaried', steps: [{ id: 'say', transform: said }] });
    await harness.apply(document('live'));
    await harness.apply(document('next'));
    await harness.database.run(
      (sql) => sql`update pipeline_alias set version = 1 where name = 'canaried' and alias = 'live'`,
    );
    await harness.database.run(
      (sql) =>
        sql`insert into pipeline_alias (project_id, name, alias, version, weight) values (${PROJECT}, 'canaried', 'canary', 2, 30)`,
    );
    const versionOf = async (draw: number, streamId: string | null) => {
      const deps = { ...harness.deps, random: () => draw };
      const result = await startRun(deps, {
        projectId: PROJECT,
        pipeline: 'canaried',
        version: null,
        inputs: {},
        streamId,
        tags: [],
        metadata: {},
        priority: 0,
        deadlineAt: null,
        idempotencyKey: null,
      });
      return result.status === 'started' ? (await harness.runRecord(result.runId)).pipelineVersion : null;
    };
    expect(await versionOf(0.29, null)).toBe(2);
    expect(await versionOf(0.31, null)).toBe(1);
    const streams = Array.from({ length: 20 }, (_, n) => `stream-${n}`);
    const first = await Promise.all(streams.map((stream) => versionOf(0, stream)));
    expect(new Set(first)).toEqual(new Set([1, 2]));
    expect(await Promise.all(streams.map((stream) => versionOf(0.9, stream)))).toEqual(first);
    await harness.queue.drain(harness.deps);
  });
});
