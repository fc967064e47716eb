import type { ModelFacts } from '#libs/context';
import type { Usage } from '#libs/domain';

const PER_TOKEN = 1e-6;

/**
 * US dollars of one call, or null when the usage or a price that it needs is unknown. `input_tokens` includes what was
 * read from and written to the cache; an unknown cache price is the input price times the catalogue's ratio.
 */
export function costUsd(usage: Usage | null, facts: ModelFacts): number | null {
  if (usage === null || facts.priceInput === null || facts.priceOutput === null) return null;
  const cached = Math.min(usage.cached_tokens, usage.input_tokens);
  const written = Math.min(usage.cache_write_tokens, usage.input_tokens - cached);
  const plain = usage.input_tokens - cached - written;
  const readPrice = facts.priceCachedInput ?? facts.priceInput * facts.cacheReadRatio;
  const writePrice = facts.priceCacheWrite ?? facts.priceInput * facts.cacheWriteRatio;
  const perMillion =
    plain * facts.priceInput + cached * readPrice + written * writePrice + usage.output_tokens * facts.priceOutput;
  return perMillion * PER_TOKEN;
}
