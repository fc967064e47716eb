import { STANDARD_WEIGHTS, type ModelFacts } from '#libs/context';
import type { ModelOverride } from '#libs/platform';
import { entryOf, type ProviderEntry } from './catalogue.js';

export type FactsResult = { ok: true; facts: ModelFacts } | { ok: false; detail: string };

/** What is known of a model: the operator's word, then the catalogue's for the model, then for its provider. */
export function modelFacts(id: string, model: string, provider: ProviderEntry, override: ModelOverride): ModelFacts {
  const { defaults } = provider;
  const entry = { ...defaults, ...entryOf(provider, model) };
  const prices = override.prices_per_million ?? entry.prices_per_million;
  return {
    id,
    apiFormat: override.api_format ?? entry.api_format,
    windowTokens: override.window_tokens ?? entry.window_tokens ?? null,
    maxOutputTokens: override.max_output_tokens ?? entry.max_output_tokens ?? null,
    promptCaching: override.prompt_caching ?? entry.prompt_caching,
    cacheReadRatio: ratio(prices?.cached_input, prices?.input) ?? defaults.cache_read_ratio,
    cacheWriteRatio: ratio(prices?.cache_write, prices?.input) ?? defaults.cache_write_ratio,
    priceInput: prices?.input ?? null,
    priceCachedInput: prices?.cached_input ?? null,
    priceCacheWrite: prices?.cache_write ?? null,
    priceOutput: prices?.output ?? null,
    images: override.images ?? entry.images ?? false,
    documents: override.documents ?? entry.documents ?? false,
    tokenRatio: override.token_ratio ?? entry.token_ratio ?? 1,
    weights: STANDARD_WEIGHTS,
  };
}

function ratio(part: number | undefined, whole: number | undefined): number | null {
  return part === undefined || whole === undefined || whole === 0 ? null : part / whole;
}
