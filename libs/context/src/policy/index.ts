export { checkContextPolicy, type PolicyLevel } from './check-context-policy.js';
export {
  checkEffectivePolicy,
  effectivePolicy,
  policyCanonical,
  policyJson,
  readPolicy,
  usesDefaultPolicy,
  type PolicyLevels,
} from './effective-policy.js';
export {
  contextBlockSchema,
  effectivePolicySchema,
  type ContextBlock,
  type ContextMode,
  type ContextPreset,
  type EffectivePolicy,
} from './policy-schema.js';
export { presets } from './presets.js';
