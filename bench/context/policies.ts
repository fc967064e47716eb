import { effectivePolicy, type EffectivePolicy } from '../../libs/context/src/index.js';

export type BenchPolicy = { key: string; label: string; policy: EffectivePolicy };

const policy = (key: string, label: string, context: object): BenchPolicy => ({
  key,
  label,
  policy: effectivePolicy({ pipeline: context }, false),
});

/** What the report compares. `sliding` moves the boundary of masking with each turn and writes the rest anew. */
export const BENCH_POLICIES: readonly BenchPolicy[] = [
  policy('auto', 'coding_agent', { preset: 'coding_agent' }),
  policy('compaction', 'soft cap 60,000', { window: { soft_cap_chars: 60_000, hard_cap_chars: 120_000 } }),
  policy('chat', 'chat', { preset: 'chat' }),
  policy('evals', 'evals', { preset: 'evals' }),
  policy('sliding', 'masks slide', { window: { mask_batch_turns: 1 } }),
  policy('steps', 'masks in tens', { window: { mask_batch_turns: 10 } }),
  policy('budget', 'budget 25,000 tokens', { budget: { max_tokens: 25_000 } }),
  policy('blocks', 'blocks 25,000 tokens', { blocks: { window_width_tokens: 25_000 } }),
];

/** Those that are compared with rivals at equal budgets. */
export const COMPARED = ['auto', 'compaction'];
