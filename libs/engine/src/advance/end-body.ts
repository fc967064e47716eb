import {
  containerPlace,
  decideItems,
  decideRound,
  bodyScope,
  findDefinedStep,
  itemsOutput,
  roundOutputs,
  scopeOf,
  scopeVariables,
  type DecideContext,
  type ForEachStep,
  type Json,
  type LoopStep,
  type RepeatStep,
  type RunError,
  type Scope,
  type ScopeEnd,
  type StepPlace,
} from '#libs/domain';
import type { StepRunRecord } from '../ports/run-records.port.js';
import type { Advance, Advanced } from './advance.js';
import { closeStep } from './cancel-steps.js';
import type { LoadedScope } from './load-scope.js';
import { stepRunId } from './step-run-id.js';

type EndedBody = {
  scope: Scope;
  container: LoopStep;
  end: ScopeEnd;
  loaded: LoadedScope;
  context: DecideContext;
};

/** One item or round has ended: the next ones begin, or the loop ends. Returns the scopes that must be decided now. */
export async function endBody(advance: Advance, advanced: Advanced, body: EndedBody): Promise<Scope[]> {
  const { tx, run } = advance;
  const place = containerPlace(body.scope);
  if (place === null) return [];
  const row = await tx.lockStepRun(run.projectId, stepRunId(run.runId, place));
  // The loop may have ended without this one: cancelled, failed with another item.
  if (row === null || row.status !== 'waiting') return [];
  switch (body.container.kind) {
    case 'for_each':
      return endItem(advance, advanced, row, body);
    case 'repeat':
      return endRound(advance, advanced, { row, step: body.container, body });
  }
}

async function endItem(advance: Advance, advanced: Advanced, row: StepRunRecord, body: EndedBody): Promise<Scope[]> {
  const { tx, run, recorder } = advance;
  const item = body.scope.item ?? 0;
  const { end } = body;
  const ended =
    end.kind === 'succeeded'
      ? { status: 'succeeded' as const, output: end.output, error: null }
      : { status: 'failed' as const, output: null, error: end.error };
  await tx.endItem({ projectId: run.projectId, stepRunId: row.stepRunId }, { item, ...ended });
  recorder.ofStep({ ...row, item }, 'ItemEnded', [run.generation], ended);
  return continueItems(advance, advanced, row);
}

/** Begins as many more items as may run at once, or ends the `for_each` that stands at this place. */
export async function continueItems(advance: Advance, advanced: Advanced, place: StepPlace): Promise<Scope[]> {
  const { tx, run, definition, recorder } = advance;
  const step = findDefinedStep(definition, place.stepId)?.step;
  if (step?.kind !== 'for_each') return [];
  const loop = { projectId: run.projectId, stepRunId: stepRunId(run.runId, place) };
  const decision = decideItems(step, await tx.countItems(loop, step.maxParallel));
  switch (decision.next) {
    case 'start': {
      const started = await tx.startItems(loop, decision.count);
      for (const item of started) recorder.ofStep({ ...place, item }, 'ItemStarted', [run.generation], {});
      return started.map((item) => bodyScope(step, place, item));
    }
    case 'succeed':
      return succeedLoop(advance, place, itemsOutput(step, await tx.items(loop)));
    case 'fail':
      return failItems(advance, advanced, { step, place });
  }
}

async function failItems(
  advance: Advance,
  advanced: Advanced,
  { step, place }: { step: ForEachStep; place: StepPlace },
): Promise<Scope[]> {
  const { tx, run } = advance;
  const items = await tx.items({ projectId: run.projectId, stepRunId: stepRunId(run.runId, place) });
  const failed = items.find(({ status }) => status === 'failed');
  const error: RunError = failed?.error ?? { code: 'item_failed', detail: 'an item failed', step_id: step.id };
  const detail = `item ${failed?.item ?? '?'}: ${error.detail}`;
  return failLoop(advance, advanced, place, { ...error, detail });
}

async function endRound(
  advance: Advance,
  advanced: Advanced,
  { row, step, body }: { row: StepRunRecord; step: RepeatStep; body: EndedBody },
): Promise<Scope[]> {
  const { tx, run, recorder, deps } = advance;
  const { scope, loaded, context } = body;
  // A round that ended earlier, looked at again.
  if (Number(row.waitingKey ?? 0) !== scope.round) return [];
  const variables = () =>
    scopeVariables(loaded.own, { ...loaded.around, last: roundOutputs(step, loaded.own) }, context);
  const decision = decideRound(step, scope.round, body.end, variables, deps.expressions);
  switch (decision.next) {
    case 'round': {
      const key = String(decision.round);
      recorder.ofStep(row, 'StepWaiting', ['round', key, run.generation], { reason: 'children', key, due_at: null });
      await tx.updateStepRun(row.projectId, row.stepRunId, { waitingKey: key });
      return [bodyScope(step, row, decision.round)];
    }
    case 'succeed':
      return succeedLoop(advance, row, decision.output);
    case 'fail':
      return failLoop(advance, advanced, row, decision.error);
  }
}

async function succeedLoop(advance: Advance, place: StepPlace, output: Json): Promise<Scope[]> {
  const { tx, run, definition, recorder } = advance;
  recorder.ofStep(place, 'StepSucceeded', ['loop', run.generation], { output });
  const patch = { status: 'succeeded', reason: null, output, error: null, ended: true } as const;
  await tx.updateStepRun(run.projectId, stepRunId(run.runId, place), patch);
  return around(definition, place);
}

async function failLoop(advance: Advance, advanced: Advanced, place: StepPlace, cause: RunError): Promise<Scope[]> {
  const { tx, run, definition, recorder } = advance;
  const id = stepRunId(run.runId, place);
  const row = await tx.lockStepRun(run.projectId, id);
  if (row === null) return [];
  await closeStep(advance, advanced, row);
  const error = { ...cause, step_id: place.stepId };
  recorder.ofStep(place, 'StepFailed', [row.attempt, run.generation], { attempt: row.attempt, error });
  await tx.updateStepRun(run.projectId, id, { status: 'failed', reason: null, error, ended: true });
  return around(definition, place);
}

function around(definition: Advance['definition'], place: StepPlace): Scope[] {
  const scope = scopeOf(definition, place);
  return scope === null ? [] : [scope];
}
