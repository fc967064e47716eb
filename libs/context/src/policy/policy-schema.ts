import { z } from 'zod';

/** The `context` block, whole (design/context.md "Policy"). Sizes of `window` are chars, of `budget` and `blocks` tokens and items. */
const count = z.int().min(0);
const positive = z.int().min(1);

export const windowSchema = z.strictObject({
  observation_window: count.default(10),
  soft_cap_chars: positive.default(400_000),
  hard_cap_chars: positive.default(600_000),
  min_tail_turns: count.default(4),
  forget_after_turns: count.nullable().default(null),
  mask_batch_turns: z.union([z.literal('auto'), positive]).default('auto'),
});

export const budgetSchema = z.strictObject({
  max_tokens: positive.nullable().default(null),
  max_context_items: positive.nullable().default(null),
  /** Exchanges. */
  keep_recent_turns: count.default(3),
  summary_model: z.string().min(1).nullable().default(null),
});

const ratio = z.number().gt(0).max(1);
export const blocksSchema = z.strictObject({
  window_width_tokens: positive.nullable().default(null),
  compaction_trigger_ratio: ratio.default(0.8),
  compaction_target_ratio: ratio.default(0.5),
  keep_last_blocks: z.int().min(1).max(100).default(5),
});

export const compactionSchema = z.strictObject({
  mode: z.enum(['async', 'blocking']).default('async'),
  model: z.string().min(1).nullable().default(null),
  target_ratio: z.number().gt(0).lt(1).default(0.5),
  max_summary_chars: positive.default(12_000),
  wait_ms: count.default(120_000),
});

export const memoryPolicySchema = z.strictObject({
  placement: z.enum(['inline', 'before_tail']).default('inline'),
  max_value_chars: positive.default(2_000),
});

export const presetSchema = z.enum(['coding_agent', 'chat', 'evals']);
export const modeSchema = z.enum(['inherit', 'fresh']);
const off = z.literal('off');

/** As an author writes it, on any level. Fields are optional here; defaults come with the effective policy. */
export const contextBlockSchema = z.strictObject({
  mode: modeSchema.optional(),
  preset: presetSchema.optional(),
  window: z.union([off, windowSchema]).optional(),
  budget: z.union([off, budgetSchema]).optional(),
  blocks: z.union([off, blocksSchema]).optional(),
  compaction: compactionSchema.optional(),
  memory: memoryPolicySchema.optional(),
});

export type ContextPreset = z.infer<typeof presetSchema>;
export type ContextMode = z.infer<typeof modeSchema>;
export type WindowPolicy = z.infer<typeof windowSchema>;
export type MemoryPolicy = z.infer<typeof memoryPolicySchema>;
export type ContextBlock = z.input<typeof contextBlockSchema>;

/** What a build follows, and what `manifest.policy` holds: every section whole or null. */
export const effectivePolicySchema = z.strictObject({
  mode: modeSchema,
  window: windowSchema.nullable(),
  budget: budgetSchema.nullable(),
  blocks: blocksSchema.nullable(),
  compaction: compactionSchema,
  memory: memoryPolicySchema,
});
export type EffectivePolicy = z.infer<typeof effectivePolicySchema>;
