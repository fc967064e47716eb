import { relay, runStepJob, sweep, type StepJob } from '../../../libs/engine/src/index.js';
import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';

/** So many runs of one key wait; the outbox is read by explain with as many. */
const MANY = 5_000;

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'keyed',
    inputs: { who: { type: 'string', required: true } },
    concurrency: { key: '${inputs.who}', limit: 100_000 },
    steps: [
      { id: 'first', transform: 1 },
      { id: 'second', depends_on: ['first'], transform: 2 },
    ],
  });
  await harness.apply({ name: 'plain', steps: [{ id: 'first', transform: 1 }] });
});
afterAll(() => harness.close());
afterEach(async () => {
  harness.queue.steps.splice(0);
  await harness.database.run((sql) => sql`delete from run`);
});

/** Copies of a run's runnable first step, as if as many runs had been started: their starts would take a minute. */
async function multiply(runId: string, times: number): Promise<void> {
  await harness.database.run(
    (sql) => sql`
      insert into run (project_id, run_id, pipeline, pipeline_version, stream_id, status, inputs, exclusive, concurrency_key, concurrency_limit)
      select project_id, run_id || '_' || n, pipeline, pipeline_version, stream_id || '_' || n, status, inputs, exclusive, concurrency_key, concurrency_limit
      from run, generate_series(1, ${times}::integer) n where run_id = ${runId}`,
  );
  await harness.database.run(
    (sql) => sql`
      insert into step_run (project_id, step_run_id, run_id, step_id, kind, status, lane)
      select project_id, step_run_id || '_' || n, run_id || '_' || n, step_id, kind, status, lane
      from step_run, generate_series(1, ${times}::integer) n where run_id = ${runId}`,
  );
  await harness.database.run((sql) => sql`analyze step_run, run`);
}

async function startWaiting(pipeline: string, inputs: { who?: string } = {}, priority = 0): Promise<string> {
  const { queue } = harness;
  queue.capacity = 0;
  return harness.start(pipeline, inputs, { priority });
}

const keyOf = async ({ stepRunId }: StepJob): Promise<string> => {
  const [row] = await harness.database.run(
    (sql) => sql<{ lane: string; who: string | null; pipeline: string }[]>`
      select s.lane, r.inputs ->> 'who' as who, r.pipeline from step_run s join run r using (project_id, run_id) where step_run_id = ${stepRunId}`,
  );
  return row?.who ?? row?.pipeline ?? 'none';
};

/** A slot becomes free, `times` times; whose steps went into the queue, in their order. */
async function freeSlots(times: number): Promise<string[]> {
  const pushed: StepJob[] = [];
  for (let n = 0; n < times; n += 1) {
    harness.queue.capacity = 1;
    await relay(harness.deps);
    pushed.push(...harness.queue.steps.splice(0));
  }
  return Promise.all(pushed.map(keyOf));
}

describe('a full queue', () => {
  it('takes the first step that follows one that ends in its place; the second one waits for its turn', async () => {
    const after = (id: string) => ({ id, depends_on: ['first'], transform: 2 });
    await harness.apply({ name: 'fork', steps: [{ id: 'first', transform: 1 }, after('second'), after('third')] });
    const { admission, queue } = harness.deps;
    harness.queue.capacity = 1;
    await harness.start('fork', {});
    const [job] = harness.queue.steps.splice(0);
    if (job === undefined) throw new Error('the first step was not pushed');
    harness.queue.capacity = 0;
    admission.note(false);
    expect(queue.reserve(1)).toBe(0);
    await runStepJob(harness.deps, job);
    expect(harness.queue.steps).toHaveLength(1);
    expect(admission.isCrowded).toBe(true);
  });
});

describe('a key with many queued runs', () => {
  it(`of which ${MANY} wait lets other keys and pipelines without one have their turn, and reads no more than it takes`, async () => {
    await multiply(await startWaiting('keyed', { who: 'hot' }), MANY);
    for (let n = 0; n < 3; n += 1) await startWaiting('keyed', { who: 'other' });
    await startWaiting('plain');
    const pushed = await freeSlots(8);
    const count = (who: string): number => pushed.filter((one) => one === who).length;
    expect({ other: count('other'), plain: count('plain'), hot: count('hot') }).toEqual({ other: 3, plain: 1, hot: 4 });
    // Whoever comes now waits for one turn of each of the others, not for thousands.
    await startWaiting('keyed', { who: 'late' });
    expect(await freeSlots(2)).toContain('late');
    for (let n = 0; n < 20; n += 1) await startWaiting('keyed', { who: `key ${n}` });
    expect(await rowsReadBy(() => harness.deps.runs.takeRunnable(8))).toBeLessThan(120);
  });

  it('lets another project have every second turn', async () => {
    await multiply(await startWaiting('keyed', { who: 'hot' }), 50);
    await startWaiting('keyed', { who: 'warm' });
    await harness.database.run(
      (sql) => sql`insert into project (project_id, name) values ('prj_other', 'other') on conflict do nothing`,
    );
    const runId = await startWaiting('plain');
    await harness.database.run(
      (sql) => sql`
        insert into pipeline (project_id, name, latest_version) values ('prj_other', 'plain', 1) on conflict do nothing`,
    );
    await harness.database.run(
      (sql) => sql`
        insert into pipeline_version (project_id, name, version, document, content_hash)
        select 'prj_other', name, version, document, content_hash from pipeline_version where name = 'plain' on conflict do nothing`,
    );
    for (let n = 0; n < 4; n += 1) {
      await harness.database.run(
        (sql) => sql`
          insert into run (project_id, run_id, pipeline, pipeline_version, stream_id, status, inputs)
          select 'prj_other', run_id || '_other_' || ${n}::integer, pipeline, pipeline_version, stream_id, status, inputs from run where run_id = ${runId}`,
      );
      await harness.database.run(
        (sql) => sql`
          insert into step_run (project_id, step_run_id, run_id, step_id, kind, status, lane)
          select 'prj_other', step_run_id || '_other_' || ${n}::integer, run_id || '_other_' || ${n}::integer, step_id, kind, status, lane
          from step_run where run_id = ${runId}`,
      );
    }
    const projects: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      harness.queue.capacity = 1;
      await relay(harness.deps);
      const [job] = harness.queue.steps.splice(0);
      projects.push((await harness.deps.runs.getStepRun(job?.stepRunId ?? ''))?.projectId ?? 'none');
    }
    expect(projects.filter((project) => project === 'prj_other')).toHaveLength(4);
  });

  it('goes behind what has a higher priority, and fills a queue that has room at once', async () => {
    await multiply(await startWaiting('keyed', { who: 'hot' }), 200);
    await startWaiting('keyed', { who: 'urgent' }, 5);
    await startWaiting('keyed', { who: 'other' });
    expect(await freeSlots(1)).toEqual(['urgent']);
    harness.queue.capacity = 150;
    while ((await relay(harness.deps)).more);
    const pushed = await Promise.all(harness.queue.steps.splice(0).map(keyOf));
    expect(pushed).toHaveLength(150);
    expect(pushed.slice(0, 2).sort()).toEqual(['hot', 'other']);
  });

  it('is not passed by what its own runs make runnable next, nor passes the others', async () => {
    const hot = await startWaiting('keyed', { who: 'hot' });
    await multiply(hot, 50);
    const other = await startWaiting('keyed', { who: 'other' });
    harness.queue.capacity = 2;
    await relay(harness.deps);
    // Each job that ends makes its run's next step runnable: it takes its turn.
    const ended: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      const jobs = harness.queue.steps.splice(0);
      ended.push(...(await Promise.all(jobs.map(keyOf))));
      await harness.queue.run(harness.deps, jobs);
      await relay(harness.deps);
      if ((await harness.runRecord(other)).endedAt !== null) break;
    }
    expect((await harness.runRecord(other)).status).toBe('succeeded');
    expect(ended.filter((who) => who === 'other')).toHaveLength(2);
    expect(ended.length).toBeLessThanOrEqual(8);
  });
});

/** Rows that a statement of this database's step_run read, by index or otherwise. */
async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
  const readNow = (): Promise<number> =>
    harness.database.run(async (sql) => {
      await sql`select pg_stat_force_next_flush()`;
      const [row] = await sql<{ read: number }[]>`
        select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables where relname = 'step_run'`;
      return Number(row?.read ?? 0);
    });
  const before = await readNow();
  await work();
  return (await readNow()) - before;
}

it('offers the sweeper the first in line of a key as often as the key has slots', async () => {
  await harness.apply({
    name: 'narrow',
    inputs: { who: { type: 'string', required: true } },
    concurrency: { key: '${inputs.who}', limit: 2 },
    steps: [{ id: 'ask', approval: { prompt: 'Well?' } }],
  });
  const start = async (who: string, times: number): Promise<string[]> => {
    const started: string[] = [];
    for (let n = 0; n < times; n += 1) started.push(await harness.start('narrow', { who }));
    return started;
  };
  const hot = await start('hot', 6);
  const late = await start('late', 3);
  // Of each key one ended, and whoever should have told the next died.
  for (const runId of [hot[0] ?? '', late[0] ?? '']) {
    await harness.database.run(
      (sql) => sql`update run set status = 'cancelled', ended_at = now() where run_id = ${runId}`,
    );
    await harness.database.run((sql) => sql`delete from stream_hold where run_id = ${runId}`);
  }
  const offered = (await harness.deps.runs.findStartableRuns(10)).map(({ runId }) => runId);
  expect(offered).toEqual([hot[2], late[2]]);
  await sweep(harness.deps);
  const statuses = await Promise.all([...hot, ...late].map(async (runId) => (await harness.runRecord(runId)).status));
  expect(statuses.join(' ')).toBe('cancelled waiting waiting queued queued queued cancelled waiting waiting');
});
