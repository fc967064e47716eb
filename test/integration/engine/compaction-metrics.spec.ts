import { Registry } from 'prom-client';
import { addCompactionMetrics } from '../../../apps/api/src/health/compaction-metrics.js';
import type { ModelFacts } from '../../../libs/context/src/index.js';
import {
  rollBackCompaction,
  runCompactionJob,
  type CompactionJob,
  type EngineDeps,
} from '../../../libs/engine/src/index.js';
import { CompactionStage, longAnswer } from '../../support/compaction-stage.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

/** One compaction of each kind of end, and what /metrics says of them. */
let harness: EngineHarness;
let stage: CompactionStage;
const registry = new Registry();
beforeAll(async () => {
  harness = await createEngineHarness();
  stage = new CompactionStage(harness);
  addCompactionMetrics(registry, harness.database);
});
afterEach(() => {
  harness.queue.compactions.splice(0);
});
afterAll(() => harness.close());

async function metric(name: string, labels: { [label: string]: string } = {}): Promise<number | undefined> {
  const found = (await registry.getMetricsAsJSON()).find((one) => one.name === `weir_compaction${name}`);
  return found?.values.find((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    ?.value;
}

function take(): CompactionJob {
  const job = harness.queue.compactions.shift();
  if (job === undefined) throw new Error('no compaction was pushed');
  return job;
}

/** The stream with a compaction asked for and not begun. */
async function asked(name: string): Promise<CompactionJob> {
  await stage.apply(name);
  stage.summarises(name, { text: 'Summed up.' });
  await stage.turns(name, 1, 5);
  return take();
}

it('counts what was requested and applied, by whom, the chars freed and what it cost', async () => {
  const job = await asked('applied');
  await underPrices({ priceInput: 2, priceOutput: 2 }, () => runCompactionJob(harness.deps, job));
  const { charsBefore, charsAfter } = await stage.rowOf(job.compactionId);
  expect(await metric('s_requested_total')).toBe(1);
  expect(await metric('s_applied_total', { by: 'model' })).toBe(1);
  expect(await metric('_chars_freed_total')).toBe((charsBefore ?? 0) - (charsAfter ?? 0));
  expect(await metric('_cost_dollars_total')).toBe(0.25);
});

it('counts what was skipped, by its reason', async () => {
  await underPrices({ priceInput: 3_000, priceOutput: 15_000 }, async () => {
    await runCompactionJob(harness.deps, await asked('skipped'));
  });
  expect(await metric('s_skipped_total', { reason: 'not_profitable' })).toBe(1);
  expect(await metric('s_requested_total')).toBe(2);
});

it('counts what failed, was discarded and was rolled back', async () => {
  const failing = await asked('failed');
  const broken = { ...harness.deps, models: { ...harness.deps.models, call: () => Promise.reject(new Error('bug')) } };
  for (let attempt = 0; attempt < 3; attempt += 1)
    await runCompactionJob(broken, { ...failing, dispatchNo: failing.dispatchNo + attempt });
  expect(await metric('s_failed_total')).toBe(1);

  const undone = await asked('undone');
  await runCompactionJob(harness.deps, undone);
  await rollBackCompaction(harness.deps, { projectId: PROJECT, compactionId: undone.compactionId });
  expect(await metric('s_rolled_back_total')).toBe(1);

  const { deps } = harness;
  const log: EngineDeps['log'] = {
    ...deps.log,
    append: (units) => deps.log.append(units),
    getPayload: (projectId, hash) => deps.log.getPayload(projectId, hash),
    digests: async (query) => (await deps.log.digests(query)).map((event) => ({ ...event, digest: 'other' })),
  };
  const discarded = await asked('discarded');
  await runCompactionJob({ ...deps, log }, discarded);
  expect(await metric('s_discarded_total')).toBe(1);
  const [attempt] = (await stage.rowOf(discarded.compactionId)).attempts;
  expect(attempt).toMatchObject({ outcome: 'discarded', error: expect.stringContaining('digest_differs') });
});

it('counts the waits of steps and their time', async () => {
  await stage.apply('waited');
  stage.summarises('waited', { text: 'Summed up.' });
  await stage.turns('waited', 1, 4);
  const runId = await harness.start('waited', { text: longAnswer('question', 58_000) }, { streamId: 'waited' });
  await harness.queue.drain(harness.deps, { compactions: false });
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'waiting' });
  expect(await metric('_waits_total')).toBe(0);
  await harness.database.run(
    (sql) => sql`update wait set created_at = created_at - interval '7 seconds' where kind = 'compaction'`,
  );
  await runCompactionJob(harness.deps, take());
  await harness.queue.drain(harness.deps, { compactions: false });
  expect(await metric('_waits_total')).toBe(1);
  expect(await metric('_wait_seconds_total')).toBeGreaterThanOrEqual(7);
});

it('shows the breaker: backing off after the first failure of all models, open from the third on, closed by a summary', async () => {
  await stage.apply('broken');
  stage.summarises('broken', { text: '' });
  await stage.turns('broken', 1, 5);
  await stage.compactAll();
  const states = async () => [
    await metric('_breakers', { state: 'backing_off' }),
    await metric('_breakers', { state: 'open' }),
  ];
  expect(await states()).toEqual([1, 0]);
  for (const n of [6, 7]) {
    await stage.turn('broken', n);
    harness.queue.compactions.splice(0);
    await stage.request('broken');
    await stage.compactAll();
  }
  expect(await states()).toEqual([0, 1]);
  expect(await metric('s_applied_total', { by: 'extractive' })).toBe(3);
  stage.summarises('broken', { text: 'Well again.' });
  await stage.turn('broken', 8);
  await stage.request('broken');
  await stage.compactAll();
  expect(await states()).toEqual([0, 0]);
});

/** As if summarisers had these prices in dollars per million tokens, agents ordinary ones, and each call had cost 25 cents. */
async function underPrices(prices: Partial<ModelFacts>, work: () => Promise<void>): Promise<void> {
  const { models } = harness.deps;
  const priced = (facts: ModelFacts): ModelFacts => ({
    ...facts,
    ...(facts.id.endsWith('-sum') ? prices : { priceInput: 3, priceCachedInput: 0.3, priceOutput: 15 }),
  });
  harness.deps.models = {
    ...models,
    call: async (call) => ({ ...(await models.call(call)), costUsd: 0.25 }),
    at: async (model, position) => {
      const at = await models.at(model, position);
      return at.kind === 'call' ? { ...at, facts: priced(at.facts) } : at;
    },
    facts: (model) => {
      const known = models.facts(model);
      return known.ok ? { ...known, facts: priced(known.facts) } : known;
    },
  };
  try {
    await work();
  } finally {
    harness.deps.models = models;
  }
}
