import { effectivePolicy, type EffectivePolicy } from '../../libs/context/src/index.js';

export type BenchPolicy = { key: string; label: string; policy: EffectivePolicy };

const policy = (key: string, label: string, context: object): BenchPolicy => ({
  key,
  label,
  policy: effectivePolicy({ pipeline: context }, false),
});

/** What the report compares. A plain sliding window moves its boundary with each turn and writes the rest anew. */
export const BENCH_POLICIES: readonly BenchPolicy[] = [
  policy('sliding', 'sliding window', { window: { mask_batch_turns: 1 } }),
  policy('steps', 'steps of ten', { window: { mask_batch_turns: 10 } }),
  policy('auto', 'auto', { window: { mask_batch_turns: 'auto' } }),
  policy('compaction', 'auto, soft cap 60,000', { window: { soft_cap_chars: 60_000, hard_cap_chars: 120_000 } }),
  policy('chat', 'preset chat', { preset: 'chat' }),
  policy('evals', 'preset evals', { preset: 'evals' }),
];
