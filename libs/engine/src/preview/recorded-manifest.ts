import {
  BUILDER_VERSION,
  fitToolName,
  formatProfile,
  policyJson,
  type EffectivePolicy,
  type Manifest,
  type ModelFacts,
  type ReplayPlan,
} from '#libs/context';

/** The tools of a recorded session: every name in it, as the format takes it, sorted, without a schema. */
export function recordedToolNames(plan: Pick<ReplayPlan, 'toolNames'>, model: ModelFacts): string[] {
  const profile = formatProfile(model.apiFormat);
  const names = new Set(plan.toolNames.map((name) => fitToolName(name, profile)));
  return [...names].sort();
}

/** What a recorded session is built with: its system message as the agent's prompt, and its tools. */
export function recordedManifest(plan: ReplayPlan, policy: EffectivePolicy, model: ModelFacts): Manifest {
  return {
    policy: policyJson(policy),
    system_prompt: plan.systemPrompt,
    tools: recordedToolNames(plan, model).map((name) => ({ name, description: '', parameters: {} })),
    primary_arguments: {},
    model,
    builder_version: BUILDER_VERSION,
  };
}

const variants = new WeakMap<Manifest, Map<EffectivePolicy, Map<ModelFacts, Manifest>>>();

/** A stored manifest under another policy and model. The same three give the same object, so that sizes are worked out once. */
export function manifestWith(stored: Manifest, policy: EffectivePolicy, model: ModelFacts): Manifest {
  const byPolicy = variants.get(stored) ?? new Map<EffectivePolicy, Map<ModelFacts, Manifest>>();
  variants.set(stored, byPolicy);
  const byModel = byPolicy.get(policy) ?? new Map<ModelFacts, Manifest>();
  byPolicy.set(policy, byModel);
  const made = byModel.get(model) ?? { ...stored, policy: policyJson(policy), model, builder_version: BUILDER_VERSION };
  byModel.set(model, made);
  return made;
}
