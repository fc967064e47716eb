import {
  containerPlace,
  roundOutputs,
  scopesAround,
  type Json,
  type JsonObject,
  type PipelineDefinition,
  type Scope,
  type StepState,
  type Surroundings,
} from '#libs/domain';
import type { RunRecord } from '../ports/run-records.port.js';
import type { ScopeReader, ScopeStep } from '../ports/wait-store.port.js';
import { stepRunId } from './step-run-id.js';

export type LoadedScope = { own: StepState[]; around: Surroundings };

/** The value of `run` in expressions. */
export function runVariables(run: RunRecord): Json {
  return {
    id: run.runId,
    stream_id: run.streamId,
    pipeline: run.pipeline,
    version: run.pipelineVersion,
    created_at: run.createdAt,
    tags: run.tags,
    metadata: run.metadata,
  };
}

export function stepStateOf(row: ScopeStep): StepState {
  const { stepId, item, round, kind, status, reason, attempt, output, error } = row;
  return { stepId, item, round, kind, status, reason, attempt, output, error };
}

/** States of one scope and what its expressions see around it. Other items and rounds are not read. */
export async function loadScope(
  reader: ScopeReader,
  run: Pick<RunRecord, 'projectId' | 'runId'>,
  definition: PipelineDefinition,
  scope: Scope,
): Promise<LoadedScope> {
  const outer = scopesAround(definition, scope);
  const own = await statesOf(reader, run, scope);
  const steps: StepState[] = [];
  for (const one of outer) steps.push(...(await statesOf(reader, run, one)));
  const around: { item?: { value: Json; index: number }; last?: JsonObject | null } = {};
  for (const one of [scope, ...outer]) await addLoopVariables(reader, run, one, around);
  return { own, around: { steps, ...around } };
}

async function statesOf(
  reader: ScopeReader,
  run: Pick<RunRecord, 'projectId' | 'runId'>,
  { steps, item, round }: Pick<Scope, 'steps' | 'item' | 'round'>,
): Promise<StepState[]> {
  const stepIds = steps.map(({ id }) => id);
  return (await reader.stepRunsAt(run.projectId, run.runId, { stepIds, item, round })).map(stepStateOf);
}

async function addLoopVariables(
  reader: ScopeReader,
  run: Pick<RunRecord, 'projectId' | 'runId'>,
  scope: Scope,
  around: { item?: { value: Json; index: number }; last?: JsonObject | null },
): Promise<void> {
  const { container } = scope;
  const place = containerPlace(scope);
  if (container === null || place === null) return;
  switch (container.kind) {
    case 'for_each': {
      const index = scope.item ?? 0;
      const found = await reader.itemValue({ projectId: run.projectId, stepRunId: stepRunId(run.runId, place) }, index);
      around.item = { value: found?.value ?? null, index };
      return;
    }
    case 'repeat':
      around.last =
        scope.round === 0
          ? null
          : roundOutputs(container, await statesOf(reader, run, { ...scope, round: scope.round - 1 }));
  }
}
