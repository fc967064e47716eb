import { STANDARD_WEIGHTS, type ApiFormat, type ModelFacts } from '#libs/context';

/** What a recorded session is built for when nothing is said: OpenAI's form, no window, caching at the usual prices. */
export const RECORDED_MODEL: ModelFacts = {
  id: 'recorded',
  apiFormat: 'openai_chat',
  windowTokens: null,
  maxOutputTokens: null,
  promptCaching: true,
  cacheReadRatio: 0.1,
  cacheWriteRatio: 1.25,
  priceInput: null,
  priceCachedInput: null,
  priceCacheWrite: null,
  priceOutput: null,
  images: true,
  documents: true,
  tokenRatio: 1,
  weights: STANDARD_WEIGHTS,
};

/** The facts of a preview or replay: those of `--model`, in the form of `--api-format`. */
export function recordedModel(named: ModelFacts | null, apiFormat: ApiFormat | null): ModelFacts {
  const facts = named ?? RECORDED_MODEL;
  return apiFormat === null ? facts : { ...facts, apiFormat };
}

/**
 * The model at one recorded call: a session that changed its model keeps window, prices and form, but older reasoning is not
 * the new one's and the frontier is computed anew.
 */
export const modelOfCall = (facts: ModelFacts, recorded: string | null): ModelFacts =>
  recorded === null || recorded === facts.id ? facts : { ...facts, id: recorded };
