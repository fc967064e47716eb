import type { ModelFacts } from './neutral.js';
import type { EffectivePolicy } from './policy/index.js';

/** Effective caps in chars; null: none. */
export type Caps = {
  readonly soft: number | null;
  readonly hard: number | null;
  readonly boundBy: 'policy' | 'model' | 'provider' | null;
};

/** A provider that refused a request of some size takes this much of it at most. */
const REFUSED_SHARE = 0.85;

/**
 * hard = min(hard_cap, chars that fit window − max_output_tokens), soft scaled alike. `size` is the request they are for: its
 * chars and its tokens (ratio applied) say how many chars fit. `refusedChars`: the provider found a request of that size too long.
 */
export function effectiveCaps(
  policy: EffectivePolicy,
  model: ModelFacts,
  size: { readonly chars: number; readonly tokens: number },
  refusedChars: number | null,
): Caps {
  const own = policy.window?.hard_cap_chars ?? null;
  const byModel = charsThatFit(model, size);
  const byProvider = refusedChars === null ? null : Math.floor(refusedChars * REFUSED_SHARE);
  const hard = smallest(own, byModel, byProvider);
  if (hard === null) return { soft: policy.window?.soft_cap_chars ?? null, hard: null, boundBy: null };
  const soft =
    policy.window === null
      ? null
      : Math.floor(policy.window.soft_cap_chars * Math.min(1, hard / policy.window.hard_cap_chars));
  return { soft, hard, boundBy: hard === own ? 'policy' : hard === byModel ? 'model' : 'provider' };
}

function charsThatFit(model: ModelFacts, size: { readonly chars: number; readonly tokens: number }): number | null {
  if (model.windowTokens === null) return null;
  const room = Math.max(Math.floor(model.windowTokens / 4), model.windowTokens - (model.maxOutputTokens ?? 0));
  if (size.tokens <= 0 || size.chars <= 0) return null;
  return Math.floor((room * size.chars) / size.tokens);
}

function smallest(...values: (number | null)[]): number | null {
  let least: number | null = null;
  for (const value of values) if (value !== null && (least === null || value < least)) least = value;
  return least;
}
