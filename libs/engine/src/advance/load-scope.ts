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

/** States of one scope and what its expressions see around it, asked for at once. Other items and rounds are not read. */
export async function loadScope(
  reader: ScopeReader,
  run: Pick<RunRecord, 'projectId' | 'runId'>,
  definition: PipelineDefinition,
  scope: Scope,
): Promise<LoadedScope> {
  if (scope.container === null) return { own: await statesOf(reader, run, scope), around: { steps: [] } };
  const outer = scopesAround(definition, scope);
  const [own, states, variables] = await Promise.all([
    statesOf(reader, run, scope),
    Promise.all(outer.map((one) => statesOf(reader, run, one))),
    Promise.all([scope, ...outer].map((one) => loopVariables(reader, run, one))),
  ]);
  return { own, around: variables.reduce<Surroundings>((all, one) => ({ ...all, ...one }), { steps: states.flat() }) };
}

async function statesOf(
  reader: ScopeReader,
  run: Pick<RunRecord, 'projectId' | 'runId'>,
  { steps, item, round }: Pick<Scope, 'steps' | 'item' | 'round'>,
): Promise<StepState[]> {
  const stepIds = steps.map(({ id }) => id);
  return (await reader.stepRunsAt(run.projectId, run.runId, { stepIds, item, round })).map(stepStateOf);
}

type LoopVariables = { item?: { value: Json; index: number }; last?: JsonObject | null };

/** Of the loop whose body the scope is. */
async function loopVariables(
  reader: ScopeReader,
  run: Pick<RunRecord, 'projectId' | 'runId'>,
  scope: Scope,
): Promise<LoopVariables> {
  const { container } = scope;
  const place = containerPlace(scope);
  if (container === null || place === null) return {};
  switch (container.kind) {
    case 'for_each': {
      const index = scope.item ?? 0;
      const found = await reader.itemValue({ projectId: run.projectId, stepRunId: stepRunId(run.runId, place) }, index);
      return { item: { value: found?.value ?? null, index } };
    }
    case 'repeat': {
      if (scope.round === 0) return { last: null };
      return { last: roundOutputs(container, await statesOf(reader, run, { ...scope, round: scope.round - 1 })) };
    }
  }
}
