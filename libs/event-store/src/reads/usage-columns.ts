import { sql } from 'kysely';
import type { StepUsage } from '#libs/engine';

/** Tokens, US dollars and counts, summed. */
export type UsageSums = StepUsage;

export const noUsage: UsageSums = {
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  modelCalls: 0,
  toolCalls: 0,
};

/** Sums over rows that carry the six counters; bigint sums are numeric in Postgres. */
export const usageSums = [
  sql<number>`coalesce(sum(input_tokens), 0)`.as('inputTokens'),
  sql<number>`coalesce(sum(cached_tokens), 0)`.as('cachedTokens'),
  sql<number>`coalesce(sum(output_tokens), 0)`.as('outputTokens'),
  sql<number>`coalesce(sum(cost_usd), 0)`.as('costUsd'),
  sql<number>`coalesce(sum(model_calls), 0)`.as('modelCalls'),
  sql<number>`coalesce(sum(tool_calls), 0)`.as('toolCalls'),
] as const;
