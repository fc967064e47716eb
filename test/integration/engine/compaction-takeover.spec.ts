import { runCompactionJob, sweep, type CompactionJob } from '../../../libs/engine/src/index.js';
import type { ScriptedReply } from '../../../libs/models/src/index.js';
import { CompactionStage } from '../../support/compaction-stage.js';
import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';

/** Compactors that die in the middle. */
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
    let answer: (reply: ScriptedReply) => void = () => undefined;
    let hasCalled: () => void = () => undefined;
    const called = new Promise<void>((resolve) => (hasCalled = resolve));
    harness.scripts.set('hung-sum', () => {
      hasCalled();
      return new Promise<ScriptedReply>((resolve) => (answer = resolve));
    });
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
