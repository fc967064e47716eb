import { z } from 'zod';
import { jsonObjectSchema } from '../json.js';
import { usageSchema } from './content.js';

const seqRange = z.tuple([z.number().int().positive(), z.number().int().positive()]);

/**
 * Models that were asked for a summary and gave none that could be used, in order. Absent when there were none. What the
 * breaker is read from, so it is stored whatever the request ended in.
 */
const failedModels = z.array(z.object({ model: z.string(), class: z.string(), detail: z.string() })).optional();

/** Events of a view's compactions, in the sub-stream they compact. `range` is in seqs, `entries` in entries, both inclusive. */
export const compactionRequested = z.object({
  compaction_id: z.string(),
  /** Names the view: null for `inherit`, else the run whose fresh view it is. */
  view_run_id: z.string().nullable(),
  cutoff_seq: z.number().int().nonnegative(),
  range: seqRange,
  entries: seqRange,
  supersedes: z.string().nullable(),
  reason: z.string(),
  policy_hash: z.string(),
  manifest: z.string(),
  /** Bound of the summary, its appendix included, in chars. */
  max_summary_chars: z.number().int().positive(),
});

export const contextCompacted = z.object({
  compaction_id: z.string(),
  view_run_id: z.string().nullable(),
  cutoff_seq: z.number().int().nonnegative(),
  replaces_seq_range: seqRange,
  entries: seqRange,
  supersedes: z.string().nullable(),
  summary: z.string(),
  chars_before: z.number().int().nonnegative(),
  chars_after: z.number().int().nonnegative(),
  bytes_saved: z.number().int(),
  source_digest: z.string(),
  model: z.string(),
  extractive: z.boolean(),
  usage: usageSchema.nullable(),
  cost_usd: z.number().nonnegative().nullable(),
  policy_hash: z.string(),
  failed_models: failedModels,
});

export const compactionSkipped = z.object({
  compaction_id: z.string(),
  reason: z.enum(['not_smaller', 'not_profitable', 'nothing_to_compact']),
  bytes_saved: z.number().int(),
  chars_before: z.number().int().nonnegative(),
  /** With `not_profitable`: what the summary may have at most; nothing was written. */
  chars_after: z.number().int().nonnegative(),
  /** The numbers behind `not_profitable`. */
  estimate: z
    .object({
      cost_usd: z.number().nonnegative(),
      saved_usd_per_call: z.number().nonnegative(),
      expected_calls: z.number().int().nonnegative(),
    })
    .optional(),
  usage: usageSchema.nullable(),
  cost_usd: z.number().nonnegative().nullable(),
  failed_models: failedModels,
});

export const compactionDiscarded = z.object({
  compaction_id: z.string(),
  reason: z.enum(['splits_turn', 'not_nested', 'digest_differs', 'superseded', 'rolled_back']),
  detail: z.string(),
  usage: usageSchema.nullable(),
  cost_usd: z.number().nonnegative().nullable(),
  failed_models: failedModels,
});

export const compactionFailed = z.object({
  compaction_id: z.string(),
  class: z.string(),
  detail: z.string(),
  attempts: z.number().int().positive(),
  usage: usageSchema.nullable(),
  cost_usd: z.number().nonnegative().nullable(),
  failed_models: failedModels,
});

export const compactionRolledBack = z.object({
  compaction_id: z.string(),
  restores: z.string().nullable(),
  source_digest: z.string(),
});

export const compactionWaitExpired = z.object({ compaction_id: z.string(), waited_ms: z.number().nonnegative() });

export const hardCapExceeded = z.object({
  size: z.number().int().nonnegative(),
  cap: z.number().int().nonnegative(),
  contributors: z.array(jsonObjectSchema),
  knob: z.string(),
});
