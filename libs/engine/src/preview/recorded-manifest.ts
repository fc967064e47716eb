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
