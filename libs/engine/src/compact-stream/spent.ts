import type { Usage } from '#libs/domain';
import type { CompactionUsage } from '../ports/compaction-store.port.js';
import type { ModelOutcome } from '../ports/model.port.js';

/** What model calls have used. */
export type Spent = { usage: Usage | null; costUsd: number; modelCalls: number };

export const NOTHING_SPENT: Spent = { usage: null, costUsd: 0, modelCalls: 0 };

/** One more call, answered or not. */
export function afterCall(spent: Spent, { usage, costUsd }: Pick<ModelOutcome, 'usage' | 'costUsd'>): Spent {
  return {
    usage: usage === null ? spent.usage : sum(spent.usage, usage),
    costUsd: spent.costUsd + (costUsd ?? 0),
    modelCalls: spent.modelCalls + 1,
  };
}

/** One call as the row counts it. */
export function usageOfCall({ usage, costUsd }: Pick<ModelOutcome, 'usage' | 'costUsd'>): CompactionUsage {
  return {
    inputTokens: usage?.input_tokens ?? 0,
    cachedTokens: usage?.cached_tokens ?? 0,
    outputTokens: usage?.output_tokens ?? 0,
    costUsd: costUsd ?? 0,
    modelCalls: 1,
  };
}

/**
 * All that a compaction has used, attempts of other workers included, as its last event tells it. The row has it, because
 * each call is put on it at once; it does not count cache writes, so those are of this attempt only.
 */
export function totalSpent(row: CompactionUsage, attempt: Spent): Spent {
  if (row.modelCalls <= attempt.modelCalls) return attempt;
  const usage: Usage = {
    input_tokens: row.inputTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: attempt.usage?.cache_write_tokens ?? 0,
    output_tokens: row.outputTokens,
  };
  return { usage, costUsd: row.costUsd, modelCalls: row.modelCalls };
}

function sum(a: Usage | null, b: Usage): Usage {
  if (a === null) return b;
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
  };
}
