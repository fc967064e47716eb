import { bodyOf, type PipelineDefinition, type PipelineStep } from '#libs/domain';
import type { PipelineGraph } from './pipeline.schema.js';

/** Steps and what leads from one to another, for drawing. Bodies follow the step that they belong to. */
export function graphOf(definition: PipelineDefinition, version: number): PipelineGraph {
  return {
    name: definition.name,
    version,
    nodes: nodesOf(definition.steps, null),
    edges: edgesOf(definition.steps),
  };
}

function nodesOf(steps: readonly PipelineStep[], inside: string | null): PipelineGraph['nodes'] {
  return steps.flatMap((step) => [
    { id: step.id, kind: step.kind, inside, join: step.join, when: step.when },
    ...nodesOf(bodyOf(step)?.steps ?? [], step.id),
  ]);
}

function edgesOf(steps: readonly PipelineStep[]): PipelineGraph['edges'] {
  return steps.flatMap((step) => [
    ...step.dependsOn.map((from) => ({ from, to: step.id, kind: 'depends_on' as const })),
    ...(step.onError.action === 'goto' ? [{ from: step.id, to: step.onError.stepId, kind: 'on_error' as const }] : []),
    ...edgesOf(bodyOf(step)?.steps ?? []),
  ]);
}
