import {
  AppError,
  RetryableError,
  findDefinedStep,
  scopeOf,
  scopeVariables,
  type PipelineDefinition,
} from '#libs/domain';
import { loadScope, runVariables } from '../advance/load-scope.js';
import { stopReasonOf, type HeldStep } from '../claim/held-steps.js';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import type { Claimed } from '../ports/run-store.port.js';
import type { ScopePlace, ScopeReader, ScopeStep } from '../ports/wait-store.port.js';
import { settleStep, type Settled } from '../settle-step.js';
import { unclaimedRow } from '../unclaimed-row.js';
import { haltAtClaim } from '../waits/halt.js';
import { executeStep } from './execute-step.js';
import { HeldClaim, leaseOf } from './held-claim.js';
import type { StepExecution } from './step-execution.js';
import { failedStep, stepTimedOut, type StepOutcome } from './step-outcome.js';
import { giveBack, takeStep, type StepJobRef } from './take-step.js';

/** `handleStepJob` with all that it set going. */
export async function runStepJob(deps: EngineDeps, job: StepJobRef, signal?: AbortSignal): Promise<void> {
  const { wakeUps } = await handleStepJob(deps, job, signal);
  await wakeUps;
}

/**
 * One job of the step queue: claim, execute, settle, and for a while the same with the run's next steps. Ends quietly when
 * somebody else has the step. A draining process never claims: it gives the job back under a new number.
 * Resolves when the queue may have the job's place back: how the step ended is on its way to the store, and what follows from it to
 * the queue (ADRs 0035, 0041). `wakeUps`: when both have answered; the process holds the step until then, so that a shutdown waits for it.
 * Never throws for what can happen to a step; throws, or `wakeUps` tells it, only when even settling failed (then the lease
 * expires, or the job is missed, and the sweeper dispatches again).
 */
export async function handleStepJob(
  deps: EngineDeps,
  job: StepJobRef,
  signal?: AbortSignal,
): Promise<{ wakeUps: Promise<unknown> }> {
  if (deps.held.isDraining()) {
    await giveBack(deps, job);
    return { wakeUps: Promise.resolve() };
  }
  const endsAt = performance.now() + deps.settings.goOnMs;
  const claimed = await takeStep(deps, job);
  deps.queue.jobTaken();
  deps.admission.jobTaken();
  if (claimed === null) return { wakeUps: Promise.resolve() };
  let mayEnd: () => void = () => undefined;
  const underWay = new Promise<void>((resolve) => (mayEnd = resolve));
  const wakeUps: Promise<void>[] = [];
  const running = runSteps(deps, claimed, { signal, endsAt, wakeUps, mayEnd });
  await Promise.race([running, underWay]);
  const settled = running.then(() => Promise.all(wakeUps));
  settled.catch((error: unknown) => tellUnsettled(deps, claimed, error));
  return { wakeUps: settled };
}

function tellUnsettled({ logger }: EngineDeps, { run, step }: Claimed, error: unknown): void {
  logger.warn(
    { run_id: run.runId, step_run_id: step.stepRunId, error: describeError(error) },
    'how the step ended could not be written after its job had ended; the sweeper finds it',
  );
}

/** `endsAt`: by `performance.now`; afterwards no further step is claimed. `mayEnd`: see `handleStepJob`. */
type Job = { signal: AbortSignal | undefined; endsAt: number; wakeUps: Promise<void>[]; mayEnd: () => void };

async function runSteps(deps: EngineDeps, claimed: Claimed, job: Job): Promise<void> {
  let step: HeldClaim | null = new HeldClaim(deps, claimed);
  while (step !== null) step = await runHeld(deps, step, job);
}

/** Returns the step to go on with. */
async function runHeld(deps: EngineDeps, claim: HeldClaim, job: Job): Promise<HeldClaim | null> {
  const { signal, wakeUps } = job;
  const onAbort = (): void => claim.held.stop('shutdown');
  signal?.addEventListener('abort', onAbort, { once: true });
  let woken: Promise<void> | null = null;
  try {
    const settled = await deps.inStep(claim.claimed, () => executeAndSettle(deps, claim, job));
    if (settled === null) return null;
    woken = settled.wakeUps.then(() => claim.release());
    wakeUps.push(woken);
    // Before this one is let go, so that a shutdown waits for it.
    return settled.next === null ? null : new HeldClaim(deps, settled.next);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    if (woken === null) claim.release();
  }
}

async function executeAndSettle(deps: EngineDeps, claim: HeldClaim, { endsAt, mayEnd }: Job): Promise<Settled | null> {
  const { held } = claim;
  const { run, step: row } = claim.claimed;
  const fields = {
    run_id: run.runId,
    step_id: row.stepId,
    step_run_id: row.stepRunId,
    item: row.item,
    attempt: row.attempt,
    starts: row.starts,
  };
  const beganAt = performance.now();
  let definition: PipelineDefinition;
  let outcome: StepOutcome;
  try {
    definition = await loadDefinition(deps, run.projectId, run.pipeline, run.pipelineVersion);
    outcome = await executeInTime(deps, claim, definition);
  } catch (error) {
    if (error instanceof RetryableError) {
      deps.logger.warn(
        { ...fields, code: error.code },
        'step interrupted by an infrastructure fault; its lease brings it back',
      );
      throw error;
    }
    outcome = outcomeOfError(error, held);
    deps.logger.error({ ...fields, error: describeError(error) }, 'step ended by an unexpected error');
    definition = await loadDefinition(deps, run.projectId, run.pipeline, run.pipelineVersion);
  }
  outcome = await heldOutcome(claim, outcome, beganAt);
  const mayGoOn = !held.isDraining() && performance.now() < endsAt;
  const settle = { claimed: claim.claimed, definition, outcome };
  // A job that may go on with the next step does not end before it knows that step.
  const settled = await settleStep(deps, { ...settle, ...(mayGoOn ? { lease: leaseOf(deps) } : { underWay: mayEnd }) });
  if (settled === null) return null;
  const failure = outcome.kind === 'failed' ? outcome.failure.kind : null;
  deps.logger[failure === null ? 'debug' : 'info']({ ...fields, outcome: outcome.kind, failure }, 'step handled');
  return settled;
}

/** What runs before it is claimed is claimed once it takes longer. */
async function executeInTime(deps: EngineDeps, claim: HeldClaim, definition: PipelineDefinition): Promise<StepOutcome> {
  const { held } = claim;
  if (held.fence > 0) return execute(deps, claim, definition);
  // Whoever writes something of the step waits for the same claim, and is told when it fails.
  const lateClaim = setTimeout(() => void held.claim().catch(() => undefined), deps.settings.claimAfterMs);
  return execute(deps, claim, definition).finally(() => clearTimeout(lateClaim));
}

/** Of a step that was not claimed only a success is written without a claim. */
async function heldOutcome({ held }: HeldClaim, outcome: StepOutcome, beganAt: number): Promise<StepOutcome> {
  if (held.fence > 0) return outcome;
  if (outcome.kind === 'succeeded' && held.stayUnclaimed())
    return { ...outcome, unclaimedMs: performance.now() - beganAt };
  await held.claim();
  return held.fence > 0 ? outcome : { kind: 'fenced_out' };
}

async function execute(
  deps: EngineDeps,
  { claimed, held }: HeldClaim,
  definition: PipelineDefinition,
): Promise<StepOutcome> {
  const { run } = claimed;
  const row = held.fence > 0 ? claimed.step : unclaimedRow(claimed.step);
  if (run.cancelRequestedAt !== null) return { kind: 'cancelled' };
  // The shutdown began after the step before this one had claimed it.
  if (held.isDraining()) return { kind: 'released', reason: 'shutdown' };
  const step = findDefinedStep(definition, row.stepId)?.step;
  const scope = scopeOf(definition, row);
  if (step === undefined || scope === null)
    return failedStep('step_invalid', `the pipeline's version ${run.pipelineVersion} has no step ${row.stepId}`);
  const { own, around } = await loadScope(scopeReader(deps.runs, claimed), run, definition, scope);
  const variables = scopeVariables(own, around, { definition, inputs: run.inputs, run: runVariables(run) });
  const halt = await haltAtClaim(deps, run);
  if (halt !== null) return halt;
  const execution: StepExecution = { deps, run, row, definition, step, variables, held };
  const outcome = await executeStep(execution);
  return stopped(outcome, held);
}

/** What a step's expressions see was there when it became runnable, so what came along with the claim is enough. */
function scopeReader(runs: ScopeReader, { steps }: Claimed): ScopeReader {
  if (steps === null) return runs;
  const isAt = (step: ScopeStep, at: ScopePlace): boolean =>
    step.item === at.item && step.round === at.round && at.stepIds.includes(step.stepId);
  return {
    stepRunsAt: (_projectId, _runId, at) => Promise.resolve(steps.filter((step) => isAt(step, at))),
    itemValue: (loop, item) => runs.itemValue(loop, item),
  };
}

/** A failure or a release that comes of our own stop is that stop, whatever the adapters called it. */
function stopped(outcome: StepOutcome, held: HeldStep): StepOutcome {
  return outcome.kind === 'failed' || outcome.kind === 'released' ? (outcomeOfStop(held) ?? outcome) : outcome;
}

function outcomeOfStop(held: HeldStep): StepOutcome | null {
  const reason = stopReasonOf(held.signal);
  if (reason === null) return null;
  switch (reason) {
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'timed_out':
      return stepTimedOut();
    case 'fenced':
      return { kind: 'fenced_out' };
    case 'shutdown':
      return { kind: 'released', reason: 'shutdown' };
  }
}

function outcomeOfError(error: unknown, held: HeldStep): StepOutcome {
  const stop = outcomeOfStop(held);
  if (stop !== null) return stop;
  if (error instanceof AppError) return failedStep('step_invalid', `${error.code}: ${error.message}`);
  return failedStep('internal_error', 'an unexpected error ended the step; the log has it under this run and step id');
}

function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
