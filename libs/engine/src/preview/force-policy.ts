import type { EffectivePolicy } from '#libs/context';
import { EXTRACTIVE_MODEL } from '../compact-stream/complete-summary.js';

/**
 * The policy under which previews and replays run: a step waits for its summaries, and code writes them, so that both give
 * the same contexts without a model. `policy_hash` is that of the forced policy.
 */
export function forcedPolicy(policy: EffectivePolicy): EffectivePolicy {
  return {
    ...policy,
    budget: policy.budget === null ? null : { ...policy.budget, summary_model: EXTRACTIVE_MODEL },
    compaction: { ...policy.compaction, mode: 'blocking', model: EXTRACTIVE_MODEL },
  };
}
