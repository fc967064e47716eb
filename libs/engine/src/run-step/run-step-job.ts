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
import { workerBytes } from '../claim/worker-bytes.js';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import type { StepLease, StepRunRecord } from '../ports/run-records.port.js';
import type { Claimed } from '../ports/run-store.port.js';
import type { ScopePlace, ScopeReader, ScopeStep } from '../ports/wait-store.port.js';
import { settleStep } from '../settle-step.js';
import { haltAtClaim } from '../waits/halt.js';
import { executeStep } from './execute-step.js';
import type { StepExecution } from './step-execution.js';
import { failedStep, stepTimedOut, type StepOutcome } from './step-outcome.js';

/**
 * One job of the step queue: claim, execute, settle, and for a while the same with the run's next steps. Ends quietly when
 * somebody else has the step. A draining process never claims: it gives the job back under a new number.
 * Never throws for what can happen to a step; throws only when even settling failed (then the lease expires and the
 * sweeper dispatches again).
 */
export async function runStepJob(
  deps: EngineDeps,
  job: { stepRunId: string; dispatchNo: number },
  signal?: AbortSignal,
): Promise<void> {
  if (deps.held.isDraining()) return deps.runs.redispatch([job]);
  const endsAt = performance.now() + deps.settings.goOnMs;
  const claimed = await deps.runs.claimStep({ ...job, ...leaseOf(deps) });
  deps.queue.jobTaken();
  deps.admission.jobTaken();
  let step = claimed === null ? null : hold(deps, claimed);
  while (step !== null) step = await runHeld(deps, step, { signal, endsAt });
}

type HeldClaim = Claimed & { held: HeldStep };

const hold = (deps: EngineDeps, claimed: Claimed): HeldClaim => ({
  ...claimed,
  held: deps.held.hold(claimed.step.stepRunId, claimed.run.runId, claimed.step.fence),
});

const leaseOf = ({ settings: { workerId, leaseMs } }: EngineDeps): StepLease => ({
  ...{ workerId, leaseMs, workerBytes: workerBytes() },
});

/** `endsAt`: by `performance.now`; afterwards no further step is claimed. */
type Job = { signal: AbortSignal | undefined; endsAt: number };

/** Returns the step to go on with. */
async function runHeld(deps: EngineDeps, claim: HeldClaim, { signal, endsAt }: Job): Promise<HeldClaim | null> {
  const { held } = claim;
  const onAbort = (): void => held.stop('shutdown');
  signal?.addEventListener('abort', onAbort, { once: true });
  const timeout = stepTimer(claim.step, deps, held);
  try {
    const next = await deps.inStep(claim, () => executeAndSettle(deps, claim, endsAt));
    // Before this one is let go, so that a shutdown waits for it.
    return next === null ? null : hold(deps, next);
  } finally {
    clearTimeout(timeout);
    signal?.removeEventListener('abort', onAbort);
    deps.held.release(held);
  }
}

async function executeAndSettle(deps: EngineDeps, claimed: HeldClaim, endsAt: number): Promise<Claimed | null> {
  const { run, step: row, held } = claimed;
  const fields = {
    run_id: run.runId,
    step_id: row.stepId,
    step_run_id: row.stepRunId,
    item: row.item,
    attempt: row.attempt,
    starts: row.starts,
  };
  let definition: PipelineDefinition;
  let outcome: StepOutcome;
  try {
    definition = await loadDefinition(deps, run.projectId, run.pipeline, run.pipelineVersion);
    outcome = await execute(deps, claimed, definition);
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
  const mayGoOn = !held.isDraining() && performance.now() < endsAt;
  const lease = mayGoOn ? { lease: leaseOf(deps) } : {};
  const settled = await settleStep(deps, { claimed, definition, outcome, ...lease });
  if (settled === null) return null;
  const failure = outcome.kind === 'failed' ? outcome.failure.kind : null;
  deps.logger[failure === null ? 'debug' : 'info']({ ...fields, outcome: outcome.kind, failure }, 'step handled');
  return settled.next;
}

async function execute(deps: EngineDeps, claimed: HeldClaim, definition: PipelineDefinition): Promise<StepOutcome> {
  const { run, step: row, held } = claimed;
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

/**
 * The process' own timer; the sweeper enforces the same time when this process is gone. The claim has just set the lease, so
 * the database's time is known from it: the process' own clock may be wrong by minutes.
 */
function stepTimer(row: StepRunRecord, deps: EngineDeps, held: HeldStep): NodeJS.Timeout | undefined {
  if (row.timeoutAt === null || row.leaseUntil === null) return undefined;
  const claimedAt = Date.parse(row.leaseUntil) - deps.settings.leaseMs;
  const leftMs = Date.parse(row.timeoutAt) - claimedAt;
  return setTimeout(() => held.stop('timed_out'), Math.min(Math.max(leftMs, 0), 2 ** 31 - 1));
}
