import type { ModelFacts } from '../neutral.js';

export type ProfitInput = {
  /** Chars that the summary model reads, and most chars that it writes. */
  readChars: number;
  writtenChars: number;
  /** Chars by which each later request gets smaller. */
  freedChars: number;
  /** Turns so far: a conversation is expected to go on for as long as it has. */
  turns: number;
  summariser: ModelFacts;
  agent: ModelFacts;
};

export type ProfitEstimate = { costUsd: number; savedUsdPerCall: number; expectedCalls: number };

const CHARS_PER_TOKEN = 4;
const LEAST_EXPECTED_CALLS = 10;

/**
 * What a summary would cost and save, in US dollars; null where a price is not known. Prices are per million tokens. What
 * is freed was read at the price of cached input where the agent's model caches.
 */
export function estimateProfit(input: ProfitInput): ProfitEstimate | null {
  const { summariser, agent } = input;
  const readPrice = agent.promptCaching ? (agent.priceCachedInput ?? agent.priceInput) : agent.priceInput;
  if (summariser.priceInput === null || summariser.priceOutput === null || readPrice === null) return null;
  const dollars = (chars: number, price: number): number => (Math.max(0, chars) / CHARS_PER_TOKEN / 1_000_000) * price;
  return {
    costUsd: dollars(input.readChars, summariser.priceInput) + dollars(input.writtenChars, summariser.priceOutput),
    savedUsdPerCall: dollars(input.freedChars, readPrice),
    expectedCalls: Math.max(LEAST_EXPECTED_CALLS, input.turns),
  };
}

/** A compaction must not cost more than it is expected to save. */
export const isProfitable = ({ costUsd, savedUsdPerCall, expectedCalls }: ProfitEstimate): boolean =>
  costUsd <= savedUsdPerCall * expectedCalls;
