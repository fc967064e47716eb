import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cancelRun, runStepJob, startRun, type EngineDeps, type StartRun } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

/** Faults of other systems (docs/orchestration-failures.md) that are about no single part of this one. */
let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  const chain = ['a', 'b', 'c', 'd'].map((id, index, ids) => ({
    ...{ id, transform: id },
    ...(index === 0 ? {} : { depends_on: [ids[index - 1] ?? ''] }),
  }));
  await harness.apply({ name: 'free', steps: chain });
  await harness.apply({ name: 'keyed', concurrency: { key: 'one', limit: 2 }, steps: chain });
  await harness.apply({
    name: '123',
    agents: { a: { model: 'scripted:digits' } },
    steps: [{ id: 'step', agent: 'a', task: 'Go.' }],
  });
  await harness.apply({
    name: 'waiting',
    steps: [
      { id: 'nap', sleep: '1h' },
      { id: 'person', approval: { prompt: 'Well?' } },
      { id: 'word', wait_for: { signal: 'word', key: 'k' } },
      { id: 'child', pipeline: 'sleeping' },
      { id: 'each', for_each: [1, 2], do: { steps: [{ id: 'rest', sleep: '1h' }] } },
    ],
  });
});
beforeAll(() => harness.apply({ name: 'sleeping', steps: [{ id: 'nap', sleep: '1h' }] }));
afterAll(() => harness.close());

it('names of digits alone stand where a caller may choose them (A3)', async () => {
  harness.scripts.set('digits', () => ({ text: 'done' }));
  const pushed: string[] = [];
  const push = harness.queue.push.bind(harness.queue);
  harness.queue.push = (jobs) => {
    pushed.push(...jobs.map(({ stepRunId }) => stepRunId));
    return push(jobs);
  };
  for (const streamId of ['123', '0']) {
    const run = await harness.run('123', {}, { streamId, idempotencyKey: streamId });
    expect(run).toMatchObject({ status: 'succeeded', streamId });
  }
  expect(pushed.length).toBeGreaterThan(0);
  for (const id of pushed) expect(id).toMatch(/^stp_/);
});

it('a chain under a concurrency key that nobody else uses takes no more transactions than one without, and begins at once (F7)', async () => {
  const transactionsOf = async (pipeline: string): Promise<number> => {
    let count = 0;
    const { runs } = harness.deps;
    const counting: EngineDeps = {
      ...harness.deps,
      runs: {
        ...runs,
        transact: (work) => {
          count += 1;
          return runs.transact(work);
        },
        transactRun: (about, work) => {
          count += 1;
          return runs.transactRun(about, work);
        },
      },
    };
    const started = await startRun(counting, command(pipeline));
    const runId = started.status === 'started' ? started.runId : '';
    expect((await harness.runRecord(runId)).status).toBe('running');
    await harness.queue.drain(counting);
    expect((await harness.runRecord(runId)).status).toBe('succeeded');
    return count;
  };
  expect(await transactionsOf('keyed')).toBe(await transactionsOf('free'));
});

it('a run whose steps all wait has ended when its cancel has been answered, each of them singly (H7)', async () => {
  const runId = await harness.start('waiting', {});
  await harness.queue.drain(harness.deps);
  expect((await harness.runRecord(runId)).status).toBe('waiting');
  await cancelRun(harness.deps, { projectId: PROJECT, runId, reason: null });
  expect((await harness.runRecord(runId)).status).toBe('cancelled');
  const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  expect(new Set(steps.map(({ status }) => status))).toEqual(new Set(['cancelled']));
  expect(await harness.deps.runs.openChildren(steps.map(({ stepRunId }) => stepRunId))).toEqual([]);
  await expectProjectionsEqualEvents(harness, runId);
});

it('a start that is taken back leaves no job, and a job without its row ends quietly (J2)', async () => {
  const { runs } = harness.deps;
  let runId = '';
  const failing: EngineDeps = {
    ...harness.deps,
    runs: {
      ...runs,
      transactRun: (about, work) =>
        runs.transactRun(about, async (tx) => {
          await work(tx);
          runId = about.runId;
          throw new Error('taken back');
        }),
    },
  };
  const before = harness.queue.steps.length;
  await expect(startRun(failing, command('free'))).rejects.toThrow('taken back');
  expect(runId).toMatch(/^run_/);
  expect(await runs.getRun(PROJECT, runId)).toBeNull();
  expect(harness.queue.steps).toHaveLength(before);
  await runStepJob(harness.deps, { stepRunId: 'stp_nowhere', dispatchNo: 1 });
});

it('nothing that writes runs and events notifies (J9)', () => {
  const folders = ['libs/event-store', 'libs/engine', 'migrations'];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const sources = files.filter((file) => /\.(ts|sql)$/.test(file));
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((file) => /\bnotify\b|pg_notify/i.test(readFileSync(file, 'utf8')))).toEqual([]);
});

const command = (pipeline: string): StartRun => ({
  ...{ projectId: PROJECT, pipeline, version: null, inputs: {}, streamId: null, tags: [], metadata: {} },
  ...{ priority: 0, deadlineAt: null, idempotencyKey: null },
});
