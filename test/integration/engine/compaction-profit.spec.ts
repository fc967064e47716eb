import type { ModelFacts } from '../../../libs/context/src/index.js';
import { retryCompaction } from '../../../libs/engine/src/index.js';
import { CompactionStage } from '../../support/compaction-stage.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
let stage: CompactionStage;
beforeAll(async () => {
  harness = await createEngineHarness();
  stage = new CompactionStage(harness);
});
afterAll(() => harness.close());

it('is not paid for when it would cost more than it saves, and says the numbers; an admin gets it all the same', async () => {
  await stage.apply('dear');
  stage.summarises('dear', { text: 'A dear summary.' });
  const { models } = harness.deps;
  const priced: typeof models = {
    ...models,
    call: (call) => models.call(call),
    at: async (model, position) => {
      const at = await models.at(model, position);
      return at.kind === 'call' ? { ...at, facts: withPrices(at.facts) } : at;
    },
    facts: (model) => {
      const known = models.facts(model);
      return known.ok ? { ...known, facts: withPrices(known.facts) } : known;
    },
  };
  const withPrices = (facts: ModelFacts): ModelFacts =>
    facts.id.endsWith('-sum')
      ? { ...facts, priceInput: 3_000, priceOutput: 15_000 }
      : { ...facts, priceInput: 3, priceCachedInput: 0.3, priceOutput: 15 };
  harness.deps.models = priced;
  try {
    await stage.turns('dear', 1, 5);
    await stage.compactAll();
    const [end] = await stage.ends('dear');
    if (end?.type !== 'CompactionSkipped') throw new Error(`it ended in ${end?.type}`);
    expect(end.data).toMatchObject({ reason: 'not_profitable', cost_usd: 0, usage: null });
    expect(end.data.bytes_saved).toBeGreaterThan(0);
    const { cost_usd, saved_usd_per_call, expected_calls } = end.data.estimate ?? {};
    expect(cost_usd ?? 0).toBeGreaterThan((saved_usd_per_call ?? 0) * (expected_calls ?? 0));
    expect(stage.calls('dear')).toBe(0);
    expect(await stage.rowOf(end.data.compaction_id)).toMatchObject({ status: 'skipped' });
    await retryCompaction(harness.deps, { projectId: PROJECT, compactionId: end.data.compaction_id });
    await stage.compactAll();
    expect((await stage.compacted('dear')).data.summary).toContain('A dear summary.');
  } finally {
    harness.deps.models = models;
  }
});
