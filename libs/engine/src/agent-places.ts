import { bodyOf, effectiveStep, type EffectiveStep, type PipelineDefinition, type PipelineStep } from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';

export type CheckDeps = Pick<EngineDeps, 'models' | 'settings'>;

/** An agent step where it stands in the document, with all levels merged. */
export type AgentPlace = {
  path: string;
  step: Extract<PipelineStep, { kind: 'agent' }>;
  effective: EffectiveStep;
  forItem: boolean;
};

export function agentPlaces(definition: PipelineDefinition): AgentPlace[] {
  return placesIn(definition, definition.steps, 'steps', false);
}

function placesIn(
  definition: PipelineDefinition,
  steps: readonly PipelineStep[],
  at: string,
  forItem: boolean,
): AgentPlace[] {
  return steps.flatMap((step, index): AgentPlace[] => {
    const path = `${at}[${index}]`;
    if (step.kind !== 'agent')
      return placesIn(definition, bodyOf(step)?.steps ?? [], `${path}.do.steps`, forItem || step.kind === 'for_each');
    const effective = effectiveStep(definition, step.id);
    return effective === null ? [] : [{ path, step, effective, forItem }];
  });
}

/** Models that a step may call: its own, then the fallbacks. Those that are not known are told of elsewhere. */
export function modelsOf({ models, settings }: CheckDeps, { model, agent }: EffectiveStep): string[] {
  const own = model ?? settings.defaultModel;
  return [...(own === null ? [] : [own]), ...(agent?.fallbackModels ?? [])].filter((name) => models.facts(name).ok);
}
