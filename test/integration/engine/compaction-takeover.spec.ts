import { runCompactionJob, sweep, type CompactionJob } from '../../../libs/engine/src/index.js';
import type { ScriptedReply } from '../../../libs/models/src/index.js';
import { CompactionStage } from '../../support/compaction-stage.js';
import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';

type Sql = Parameters<Parameters<EngineHarness['database']['run']>[0]>[0];

/** Compactors that die in the middle, or are told to stop. */
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

// context-failures rows 28, 40, 65
describe('the same range', () => {
  it('is never paid twice: a compactor that takes over finds the summary that the killed one paid for', async () => {
    await stage.apply('killed');
    stage.summarises('killed', { text: 'Paid for once.' });
    await stage.turns('killed', 1, 5);
    const job = await take();
    const dies = {
      ...harness.deps,
      runs: { ...harness.deps.runs, transact: () => Promise.reject(new Error('killed')) },
    };
    await expect(runCompactionJob(dies, job)).rejects.toThrow('killed');
    expect(await stage.ends('killed')).toEqual([]);
    await expireLeases();
    await sweep(harness.deps);
    await stage.compactAll(harness.secondWorker());
    expect((await stage.compacted('killed')).data.summary).toContain('Paid for once.');
    expect(stage.calls('killed')).toBe(1);
    const row = await stage.rowOf((await stage.compacted('killed')).data.compaction_id);
    expect(row.usage.modelCalls).toBe(1);
    expect(row.starts).toBe(2);
  });

  it('is taken over when a compactor is killed during the call, and the dead one can write nothing any more', async () => {
    await stage.apply('hung');
    const { called, answer } = hanging('hung');
    await stage.turns('hung', 1, 5);
    const slept = runCompactionJob(harness.deps, await take());
    await called;
    await expireLeases();
    await sweep(harness.deps);
    stage.summarises('hung', { text: 'By the second one.' });
    await stage.compactAll(harness.secondWorker());
    answer({ text: 'By the first one, too late.' });
    await slept;
    expect(await stage.ends('hung')).toHaveLength(1);
    expect((await stage.compacted('hung')).data.summary).toContain('By the second one.');
  });

  it('ends by itself when its compactors die three times in a row', async () => {
    await stage.apply('poison');
    stage.summarises('poison', { text: 'never' });
    await stage.turns('poison', 1, 5);
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
    const [end] = await stage.ends('poison');
    expect(end?.type === 'CompactionFailed' && end.data.class).toBe('lease_expiries');
  });

  it.each([
    ['erased', (sql: Sql, hash: string) => sql`update payload set body = 'null' where hash = ${hash}`],
    ['lost', (sql: Sql, hash: string) => sql`delete from payload where hash = ${hash}`],
  ])('ends at once, and not by three deaths, when what it depends on was %s', async (name, remove) => {
    await stage.apply(name);
    stage.summarises(name, { text: 'never' });
    await stage.turns(name, 1, 5);
    const job = await take();
    const { manifest } = await stage.rowOf(job.compactionId);
    await harness.database.run((sql) => remove(sql, manifest));
    await runCompactionJob(harness.deps, job);
    const [end] = await stage.ends(name);
    expect(end?.type === 'CompactionFailed' && end.data).toMatchObject({ class: 'manifest_missing', attempts: 1 });
    expect(await stage.rowOf(job.compactionId)).toMatchObject({ status: 'failed', starts: 1 });
    expect(stage.calls(name)).toBe(0);
  });

  it('is given back by a compactor that shuts down, and that start does not count', async () => {
    await stage.apply('drained');
    const called = new Promise<void>((resolve) =>
      harness.scripts.set('drained-sum', () => {
        resolve();
        return { hang: true };
      }),
    );
    await stage.turns('drained', 1, 5);
    const leaving = harness.secondWorker();
    const job = await take();
    const running = runCompactionJob(leaving, job);
    await called;
    leaving.held.stopAll('shutdown');
    await running;
    expect(await stage.rowOf(job.compactionId)).toMatchObject({ status: 'requested', starts: 0, leaseUntil: null });
    stage.summarises('drained', { text: 'By the next one.' });
    await stage.compactAll();
    expect((await stage.compacted('drained')).data.summary).toContain('By the next one.');
    expect(await stage.ends('drained')).toHaveLength(1);
  });

  /** A summariser that answers when it is told to. */
  function hanging(name: string): { called: Promise<void>; answer: (reply: ScriptedReply) => void } {
    let answer: (reply: ScriptedReply) => void = () => undefined;
    let hasCalled: () => void = () => undefined;
    const called = new Promise<void>((resolve) => (hasCalled = resolve));
    harness.scripts.set(`${name}-sum`, () => {
      hasCalled();
      return new Promise<ScriptedReply>((resolve) => (answer = resolve));
    });
    return { called, answer: (reply) => answer(reply) };
  }

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
