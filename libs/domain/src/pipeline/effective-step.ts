import type { JsonObject } from '../json.js';
import { madeOnce } from '../made-once.js';
import { findDefinedStep, type FoundStep } from './graph.js';
import type { AgentDefinition, PipelineDefinition } from './pipeline-definition.js';
import { DEFAULT_STEP_TIMEOUT_MS } from './pipeline-limits.js';
import type { PipelineStep, StepKind } from './pipeline-step.js';
import { DEFAULT_RETRY, type RetryPolicy } from './retry-policy.js';

/** What a step does when everything the document says about it is put together. */
export type EffectiveStep = {
  readonly step: PipelineStep;
  /** The steps whose bodies it is in, outermost first. */
  readonly containers: readonly PipelineStep[];
  /**
   * Of one attempt: the step's `timeout`, else `defaults.timeout`, else 10 minutes. null (bounded by the run's) for kinds
   * that wait or contain others, unless the step itself names one.
   */
  readonly timeoutMs: number | null;
  /** Field by field: the step's, else `defaults.retry`'s, else `DEFAULT_RETRY`. Containers and waits: one attempt. */
  readonly retry: RetryPolicy;
  /** null for steps that are not agents. */
  readonly agent: AgentDefinition | null;
  /** The step's, else the agent's, else `defaults.model`; null: the operator's default. */
  readonly model: string | null;
  /** The three levels that a document can name; the server's settings come after them. */
  readonly contextLevels: {
    readonly step: JsonObject | null;
    readonly agent: JsonObject | null;
    readonly pipeline: JsonObject | null;
  };
  /** Of the nearest level that names one, else `fresh` in a `for_each`, else null: the server's, and `inherit` at last. */
  readonly contextMode: 'inherit' | 'fresh' | null;
};

/** Null when the definition has no step of that id. */
export function effectiveStep(definition: PipelineDefinition, stepId: string): EffectiveStep | null {
  const found = findDefinedStep(definition, stepId);
  if (found === null) return null;
  const known = knownSteps(definition);
  const step = known.get(stepId) ?? effective(definition, found);
  known.set(stepId, step);
  return step;
}

const knownSteps = madeOnce((_definition: PipelineDefinition) => new Map<string, EffectiveStep>());

function effective(definition: PipelineDefinition, { step, containers }: FoundStep): EffectiveStep {
  const agent = step.kind === 'agent' ? (definition.agents.get(step.agent) ?? null) : null;
  const works = isWork(step.kind);
  const contextLevels = { step: step.context, agent: agent?.context ?? null, pipeline: definition.context };
  return {
    step,
    containers,
    timeoutMs: step.timeoutMs ?? (works ? (definition.defaults.timeoutMs ?? DEFAULT_STEP_TIMEOUT_MS) : null),
    retry: {
      ...DEFAULT_RETRY,
      ...(works ? definition.defaults.retry : { maxAttempts: 1 }),
      ...step.retry,
    },
    agent,
    model: step.model ?? agent?.model ?? definition.defaults.model,
    contextLevels,
    contextMode: contextModeOf(contextLevels, containers),
  };
}

/** Kinds that do something themselves, in bounded time. */
function isWork(kind: StepKind): boolean {
  return kind === 'agent' || kind === 'tool' || kind === 'transform';
}

function contextModeOf(
  levels: EffectiveStep['contextLevels'],
  containers: readonly PipelineStep[],
): 'inherit' | 'fresh' | null {
  for (const level of [levels.step, levels.agent, levels.pipeline]) {
    const mode = level?.['mode'];
    if (mode === 'inherit' || mode === 'fresh') return mode;
  }
  return containers.some((container) => container.kind === 'for_each') ? 'fresh' : null;
}
