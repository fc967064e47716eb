import {
  containerPlace,
  isLoop,
  scopeOf,
  scopesAround,
  topScope,
  type ForEachStep,
  type PipelineDefinition,
} from '#libs/domain';
import type { Claimed, LoopItem, RunWork } from '../ports/run-store.port.js';
import { stepRunId } from './step-run-id.js';

/** What the end of a step locks and reads: the step, its scope and those around it. */
export function workOn(claimed: Claimed, definition: PipelineDefinition): RunWork {
  const { step } = claimed;
  const { projectId, runId } = claimed.run;
  const own = scopeOf(definition, step) ?? topScope(definition);
  const scopes = [own, ...scopesAround(definition, own)];
  return {
    projectId,
    runId,
    stepRunId: step.stepRunId,
    seen: claimed,
    places: scopes.map(({ steps, item, round }) => ({ stepIds: steps.map(({ id }) => id), item, round })),
    items: scopes.flatMap((scope) => {
      const { container, item, round } = scope;
      const place = containerPlace(scope);
      if (place === null || container?.kind !== 'for_each') return [];
      const { maxParallel } = container;
      return [{ stepRunId: stepRunId(runId, place), item: item ?? 0, maxParallel, body: bodyOf(container, round) }];
    }),
  };
}

/** Its steps, and those of the first rounds in it. */
function bodyOf({ body }: ForEachStep, round: number): LoopItem['body'] {
  const idsOf = (steps: PipelineDefinition['steps']): string[] => steps.map(({ id }) => id);
  const rounds = body.steps.filter(isLoop).map((inner) => ({ stepIds: idsOf(inner.body.steps), round: 0 }));
  return [{ stepIds: idsOf(body.steps), round }, ...rounds];
}
