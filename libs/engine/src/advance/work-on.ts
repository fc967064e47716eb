import { containerPlace, scopeOf, scopesAround, topScope, type PipelineDefinition } from '#libs/domain';
import type { Claimed, RunWork } from '../ports/run-store.port.js';
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
      const place = containerPlace(scope);
      if (place === null || scope.container?.kind !== 'for_each') return [];
      return [{ stepRunId: stepRunId(runId, place), item: scope.item ?? 0 }];
    }),
  };
}
