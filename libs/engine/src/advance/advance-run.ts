import {
  bodyScope,
  decideNext,
  findDefinedStep,
  isEndedRun,
  isLoop,
  scopeOf,
  statusOfRun,
  topScope,
  type Scope,
  type StepPlace,
} from '#libs/domain';
import { nothingYet, type Advance, type Advanced } from './advance.js';
import { cancelOpenSteps } from './cancel-steps.js';
import { endBody } from './end-body.js';
import { endRun } from './end-run.js';
import { loadScope, runVariables } from './load-scope.js';
import { performCommand } from './perform-command.js';

export type { Advance, Advanced } from './advance.js';

/** Where something happened; `all`: look everywhere, after a run was stopped from going on or lost its way. */
export type Changed = readonly StepPlace[] | 'all';

/**
 * Decides and performs the next move of a locked run: rows and events in the caller's transaction. Only the scopes in which
 * something changed are read, then those around them when they end. Idempotent. The caller flushes the recorder and calls
 * `afterCommit`.
 */
export async function advanceRun(advance: Advance, changed: Changed = []): Promise<Advanced> {
  const advanced = nothingYet(advance.run);
  if (isEndedRun(advance.run.status)) return advanced;
  if (advance.run.cancelRequestedAt !== null) {
    const isStill = await cancelOpenSteps(advance, advanced);
    if (isStill) await endRun(advance, advanced, null);
  } else if (await mayGoOn(advance)) await advanceScopes(advance, advanced, await scopesOf(advance, changed));
  else return advanced;
  if (advanced.ended === null) await projectStatus(advance, advanced);
  return advanced;
}

/** A run that waited between its steps gave its stream back: it goes on when it has it again, its turn in line kept. */
async function mayGoOn({ tx, run }: Advance): Promise<boolean> {
  if (run.status !== 'waiting') return true;
  await tx.lockStreams(run.projectId, [run.streamId]);
  if (await tx.acquireStream(run)) return true;
  if (run.statusReason !== 'stream_busy') await tx.updateRun(run.projectId, run.runId, { statusReason: 'stream_busy' });
  return false;
}

async function scopesOf(advance: Advance, changed: Changed): Promise<Scope[]> {
  const { definition } = advance;
  if (changed === 'all') return [topScope(definition), ...(await scopesUnderWay(advance))];
  const scopes = changed.map((place) => scopeOf(definition, place) ?? topScope(definition));
  return scopes.length === 0 ? [topScope(definition)] : scopes;
}

/** Bodies of loops that have begun and not ended. */
async function scopesUnderWay({ tx, run, definition }: Advance): Promise<Scope[]> {
  const scopes: Scope[] = [];
  for (const row of await tx.openStepRuns(run.projectId, run.runId)) {
    const step = findDefinedStep(definition, row.stepId)?.step;
    if (step === undefined || !isLoop(step)) continue;
    if (step.kind === 'repeat') scopes.push(bodyScope(step, row, Number(row.waitingKey ?? 0)));
    else
      for (const { item, status } of await tx.items({ projectId: run.projectId, stepRunId: row.stepRunId }))
        if (status === 'running') scopes.push(bodyScope(step, row, item));
  }
  return scopes;
}

async function advanceScopes(advance: Advance, advanced: Advanced, scopes: Scope[]): Promise<void> {
  const { deps, tx, run, definition } = advance;
  const context = { definition, language: deps.expressions, run: runVariables(run), inputs: run.inputs };
  for (let scope = scopes.shift(); scope !== undefined; scope = scopes.shift()) {
    const loaded = await loadScope(tx, run, definition, scope);
    const { commands, end } = decideNext(scope, loaded.own, loaded.around, context);
    for (const command of commands) scopes.push(...(await performCommand(command, advance, advanced)));
    if (end === null) continue;
    if (scope.container === null) return endRun(advance, advanced, end);
    scopes.push(...(await endBody(advance, advanced, { scope, container: scope.container, end, loaded, context })));
  }
}

/** Keeps `running` and `waiting` true to the steps, and gives the stream back where the run only waits between them. */
async function projectStatus({ tx, run }: Advance, advanced: Advanced): Promise<void> {
  const { isActive, isWaiting, holdsStream } = await tx.activity(run.projectId, run.runId);
  const status = statusOfRun(run.status, { isActive, isWaiting });
  const wasBusy = run.statusReason === 'stream_busy' && run.status === 'waiting';
  if (status !== run.status || wasBusy)
    await tx.updateRun(run.projectId, run.runId, { status, ...(wasBusy ? { statusReason: null } : {}) });
  if (status !== 'waiting' || holdsStream || run.pausedAt !== null) return;
  await tx.releaseStream(run);
  advanced.streamReleased = true;
}
