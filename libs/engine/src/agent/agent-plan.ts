import {
  BUILDER_VERSION,
  effectivePolicy,
  policyCanonical,
  policyJson,
  type EffectivePolicy,
  type Manifest,
  type ModelFacts,
} from '#libs/context';
import {
  canonicalJson,
  effectiveStep,
  renderTemplate,
  type AgentDefinition,
  type AgentStepWork,
  type JsonObject,
  type PipelineStep,
  type ToolDefinition,
} from '#libs/domain';
import { sha256 } from '../new-event.js';
import type { ModelCallSettings } from '../ports/model.port.js';
import type { ResolvedTool } from '../ports/tool.port.js';
import type { StepExecution } from '../run-step/step-execution.js';

export type AgentStep = PipelineStep & AgentStepWork;
export type AgentExecution = Omit<StepExecution, 'step'> & { step: AgentStep };

/** A tool of the agent with the definition it comes from; null for a builtin named directly. */
export type AgentTool = { tool: ResolvedTool; definition: ToolDefinition | null };

/** What an agent step is run with; all that a context depends on is in the manifest. */
export type AgentPlan = {
  agent: AgentDefinition;
  model: string;
  /** The model, then its fallback models. */
  models: readonly string[];
  facts: ModelFacts;
  policy: EffectivePolicy;
  policyHash: string;
  tools: ReadonlyMap<string, AgentTool>;
  manifest: Manifest;
  manifestHash: string;
  settings: Omit<ModelCallSettings, 'toolChoice'>;
  /** Null: unlimited. Counted over the exchange. */
  maxToolCalls: number | null;
};

export type PlanResult = { ok: true; plan: AgentPlan } | { ok: false; detail: string };

const TOOL_CALLS_WITH_BUDGET = 10;

/** Resolves model, tools, policy and system prompt; every fault names what to change. */
export function planAgent(execution: AgentExecution): PlanResult {
  const { deps, definition, step } = execution;
  const effective = effectiveStep(definition, step.id);
  const agent = effective?.agent ?? null;
  if (effective === null || agent === null) return { ok: false, detail: `agents.${step.agent} is not in the pipeline` };
  const model = effective.model ?? deps.settings.defaultModel;
  if (model === null)
    return {
      ok: false,
      detail: `step ${step.id} has no model: name one in the step, its agent, defaults.model, or WEIR_DEFAULT_MODEL`,
    };
  const facts = deps.models.facts(model);
  if (!facts.ok) return { ok: false, detail: facts.detail };
  const tools = resolveTools(execution, agent);
  if (!tools.ok) return tools;
  const prompt = systemPrompt(execution, agent);
  if (!prompt.ok) return prompt;
  const policy = effectivePolicy(
    { ...effective.contextLevels, settings: deps.settings.serverContext },
    execution.row.item !== null,
  );
  const maxToolCalls = agent.maxToolCallsPerTurn ?? (policy.budget === null ? null : TOOL_CALLS_WITH_BUDGET);
  return {
    ok: true,
    plan: {
      agent,
      model,
      models: [model, ...agent.fallbackModels],
      policy,
      maxToolCalls,
      ...manifestOf(policy, prompt.text, tools.tools, facts.facts),
      facts: facts.facts,
      tools: tools.tools,
      settings: settingsOf(agent),
    },
  };
}

function resolveTools(
  { deps, definition }: AgentExecution,
  agent: AgentDefinition,
): { ok: true; tools: Map<string, AgentTool> } | { ok: false; detail: string } {
  const tools = new Map<string, AgentTool>();
  for (const name of agent.tools) {
    const toolDefinition = definition.tools.get(name) ?? null;
    const resolved = deps.tools.resolve(name, toolDefinition);
    if (!resolved.ok) return resolved;
    tools.set(name, { tool: resolved.tool, definition: toolDefinition });
  }
  return { ok: true, tools };
}

function systemPrompt(
  { deps, variables }: AgentExecution,
  agent: AgentDefinition,
): { ok: true; text: string | null } | { ok: false; detail: string } {
  if (agent.systemPrompt === null) return { ok: true, text: null };
  const rendered = renderTemplate(agent.systemPrompt, variables, deps.expressions);
  if (!rendered.ok) return { ok: false, detail: `agents.${agent.name}.system_prompt: ${rendered.detail}` };
  return { ok: true, text: typeof rendered.value === 'string' ? rendered.value : canonicalJson(rendered.value) };
}

function manifestOf(
  policy: EffectivePolicy,
  prompt: string | null,
  tools: ReadonlyMap<string, AgentTool>,
  model: ModelFacts,
): Pick<AgentPlan, 'manifest' | 'manifestHash' | 'policyHash'> {
  // Sorted, so that the order in a document does not change the prefix that providers cache.
  const resolved = [...tools.values()].map(({ tool }) => tool).sort((a, b) => (a.name < b.name ? -1 : 1));
  const manifest: Manifest = {
    policy: policyJson(policy),
    system_prompt: prompt,
    tools: resolved.map((tool) => tool.declaration),
    primary_arguments: Object.fromEntries(
      resolved.flatMap((tool) => (tool.primaryArgument === null ? [] : [[tool.name, tool.primaryArgument]])),
    ),
    model,
    builder_version: BUILDER_VERSION,
  };
  return {
    manifest,
    manifestHash: sha256(canonicalJson(manifestJson(manifest))),
    policyHash: sha256(policyCanonical(policy)),
  };
}

/** The manifest as it is stored and hashed. */
export function manifestJson(manifest: Manifest): JsonObject {
  const { policy, system_prompt, tools, primary_arguments, model, builder_version } = manifest;
  return {
    policy,
    system_prompt,
    tools: tools.map((tool) => ({ ...tool })),
    primary_arguments,
    model: { ...model, weights: { ...model.weights } },
    builder_version,
  };
}

function settingsOf(agent: AgentDefinition): Omit<ModelCallSettings, 'toolChoice'> {
  const { temperature, maxOutputTokens, stop, reasoning, extra } = agent.sampling;
  return {
    temperature,
    maxOutputTokens,
    stop: [...(stop ?? [])],
    reasoning,
    extra: extra ?? {},
    outputSchema: agent.outputSchema,
  };
}
