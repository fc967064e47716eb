import { STANDARD_WEIGHTS } from '../measure/part-chars.js';
import type { ModelFacts } from '../neutral.js';
import { estimateProfit, isProfitable, type ProfitInput } from './is-profitable.js';

const priced = (input: number | null, cached: number | null, output: number | null): ModelFacts => ({
  id: 'test:m',
  apiFormat: 'openai_chat',
  windowTokens: null,
  maxOutputTokens: null,
  promptCaching: cached !== null,
  cacheReadRatio: 0.1,
  cacheWriteRatio: 1.25,
  priceInput: input,
  priceCachedInput: cached,
  priceCacheWrite: null,
  priceOutput: output,
  images: true,
  documents: true,
  tokenRatio: 1,
  weights: STANDARD_WEIGHTS,
});

const judged = (more: Partial<ProfitInput>) => {
  const agent = priced(3, 0.3, 15);
  const estimate = estimateProfit({
    readChars: 240_000,
    writtenChars: 12_000,
    freedChars: 200_000,
    turns: 40,
    summariser: agent,
    agent,
    ...more,
  });
  return estimate === null ? null : isProfitable(estimate);
};

describe('whether a summary pays', () => {
  it('says yes to a long history that is shown whole, and no to one that masking has left little of', () => {
    expect(judged({})).toBe(true);
    expect(judged({ readChars: 400_000, freedChars: 20_000 })).toBe(false);
  });

  it('expects a conversation to go on for as long as it has', () => {
    expect(judged({ readChars: 400_000, freedChars: 20_000, turns: 400 })).toBe(true);
  });

  it('says yes to a summariser that costs nothing, and nothing where a price is not known', () => {
    expect(judged({ summariser: priced(0, null, 0) })).toBe(true);
    expect(judged({ summariser: priced(null, null, null) })).toBeNull();
    expect(judged({ agent: priced(null, null, null) })).toBeNull();
  });

  it('gives the numbers in dollars', () => {
    const agent = priced(2, null, 8);
    expect(
      estimateProfit({
        readChars: 4_000_000,
        writtenChars: 400_000,
        freedChars: 2_000_000,
        turns: 3,
        summariser: agent,
        agent,
      }),
    ).toEqual({
      costUsd: 2.8,
      savedUsdPerCall: 1,
      expectedCalls: 10,
    });
  });
});
