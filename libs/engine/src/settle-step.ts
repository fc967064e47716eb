import {
  DEFAULT_RETRY,
  classifyFailure,
  effectiveStep,
  type FailureDecision,
  type FailureFacts,
  type JsonObject,
  type PipelineDefinition,
  type RunError,
  type WaitReason,
} from '#libs/domain';
import { afterCommit } from './advance/after-commit.js';
import { closeStep } from './advance/cancel-steps.js';
import type { ToPush } from './advance/advance.js';
import { advanceRun, type Advance, type Advanced } from './advance/advance-run.js';
import { RunRecorder } from './advance/run-recorder.js';
import { workOn } from './advance/work-on.js';
import { pushAhead } from './dispatch/push-ahead.js';
import type { EngineDeps } from './engine-deps.js';
import type { RunRecord, StepLease, StepRunRecord } from './ports/run-records.port.js';
import type { Claimed, RunTransaction } from './ports/run-store.port.js';
import { startChild } from './start-run/start-child.js';
import type { StepOutcome } from './run-step/step-outcome.js';
import { unclaimedRow } from './unclaimed-row.js';
import { inMs } from './waits/due-at.js';
import { parkStep } from './waits/park-step.js';
import { waitForCalls } from './waits/wait-for-calls.js';

/** `lease`: under which this worker goes on with the run's next step, if it may. `underWay`: called when all has been sent, to store and queue. */
export type Settle = {
  claimed: Claimed;
  definition: PipelineDefinition;
  outcome: StepOutcome;
  lease?: StepLease;
  underWay?: () => void;
};
/**
 * `next`: the step that this worker has claimed with it. `wakeUps` resolves when the queue and other runs have been told of what
 * follows, and never rejects; they are under way, so the step's job may end before it.
 */
export type Settled = { next: Claimed | null; wakeUps: Promise<void> };

/**
 * Writes how a step ended, what follows from it, and the run's next steps: one transaction, refused as a whole when the
 * fence is not ours any more. Null: nothing was written.
 */
export async function settleStep(deps: EngineDeps, settle: Settle): Promise<Settled | null> {
  const settled = settle.outcome.kind === 'fenced_out' ? null : await transactSettle(deps, settle);
  if (settled === null) {
    const { step, run } = settle.claimed;
    const ids = { step_run_id: step.stepRunId, run_id: run.runId };
    deps.logger.info(ids, 'step is not held here any more; nothing written');
    return null;
  }
  return { next: settled.next, wakeUps: afterCommit(deps, settled.advanced, settled.pushing) };
}

/** `pushing`: what was dispatched has been sent to the queue before it was stored. */
type InTransaction = Pick<Settled, 'next'> & { advanced: Advanced; pushing?: Promise<void> | undefined };

/** The common outcome shares its transaction with whatever else is ready; the others may lock or read more. */
function transactSettle(deps: EngineDeps, settle: Settle): Promise<InTransaction | null> {
  const work = (tx: RunTransaction): Promise<InTransaction | null> => settleIn(tx, deps, settle);
  if (settle.outcome.kind !== 'succeeded') return deps.runs.transact(work);
  const write = deps.runs.transactRun(workOn(settle.claimed, settle.definition), work, (decided) => {
    if (decided === null) return;
    decided.pushing = pushAhead(deps, decided.advanced.dispatched, write);
    settle.underWay?.();
  });
  return write;
}

async function settleIn(tx: RunTransaction, deps: EngineDeps, settle: Settle): Promise<InTransaction | null> {
  const { claimed, definition, outcome, lease } = settle;
  const { projectId, runId } = claimed.run;
  const run = await tx.lockRun(projectId, runId);
  const locked = await tx.lockStepRun(projectId, claimed.step.stepRunId);
  if (run === null || locked === null || !isHeld(locked, claimed.step)) return null;
  const isUnclaimed = outcome.kind === 'succeeded' && outcome.unclaimedMs !== undefined;
  const row = isUnclaimed ? unclaimedRow(locked) : locked;
  const recorder = new RunRecorder(deps, run);
  if (row.kind !== 'agent') recordStart(recorder, row);
  const cancelling =
    outcome.kind === 'cancelled' && run.cancelRequestedAt === null
      ? await cancelFromWithin(deps, tx, run, recorder)
      : run;
  const advance: Advance = { deps, tx, run: cancelling, definition, recorder, endsStep: true, ...(lease && { lease }) };
  const begun = await writeOutcome(advance, row, run.cancelRequestedAt !== null ? afterCancel(outcome) : outcome);
  const advanced = await advanceRun(advance, [row]);
  await recorder.flush(tx);
  return {
    advanced: {
      ...advanced,
      runnable: [...begun.runnable, ...advanced.runnable],
      dispatched: [...begun.dispatched, ...advanced.dispatched],
    },
    next: advanced.next === null ? null : await tx.claimedStep(projectId, advanced.next),
  };
}

/** As its claim left it; or queued as it was pushed, where it ended unclaimed. */
const isHeld = (row: StepRunRecord, held: StepRunRecord): boolean =>
  row.fence === held.fence && row.status === held.status && row.dispatchNo === held.dispatchNo;

/** A model call that ended as aborted without anybody's request (a recording's user stopped it there) cancels the run. */
async function cancelFromWithin(
  deps: EngineDeps,
  tx: RunTransaction,
  run: RunRecord,
  recorder: RunRecorder,
): Promise<RunRecord> {
  const reason = 'model_call_aborted';
  recorder.ofRun('RunCancelRequested', [run.generation], { reason });
  await tx.updateRun(run.projectId, run.runId, { status: 'cancelling', cancelReason: reason, cancelRequested: true });
  return { ...run, status: 'cancelling', cancelReason: reason, cancelRequestedAt: deps.now().toISOString() };
}

/** Steps without a conversation start and end in one append; an agent step's start was written when it began. */
function recordStart(recorder: RunRecorder, row: StepRunRecord): void {
  recorder.ofStep(row, 'StepStarted', [row.fence], {
    attempt: row.attempt,
    start: row.starts,
    context_mode: null,
    cutoff_seq: null,
    memory_seq: null,
    manifest: null,
  });
}

/** A run that is to be cancelled keeps what its step achieved, and retries nothing. */
function afterCancel(outcome: StepOutcome): StepOutcome {
  return outcome.kind === 'succeeded' ? outcome : { kind: 'cancelled' };
}

const onlyRunnable = (runnable: string[]): ToPush => ({ runnable, dispatched: [] });

/** Returns what is runnable at once: the step run again, or the first steps of its child. */
async function writeOutcome(advance: Advance, row: StepRunRecord, outcome: StepOutcome): Promise<ToPush> {
  const { tx, recorder } = advance;
  switch (outcome.kind) {
    case 'succeeded': {
      // As in the event: rows hold no secret either.
      const output = advance.deps.redact(outcome.output);
      const { journal } = outcome;
      if (journal !== undefined) recorder.add(journal.streamId, journal.events);
      recorder.ofStep(row, 'StepSucceeded', [row.fence], { output });
      const ended = { status: 'succeeded', reason: null, output, error: null, ended: true } as const;
      const spent = journal === undefined ? {} : { moreToolCalls: journal.toolCalls };
      const began = outcome.unclaimedMs === undefined ? {} : { beganMsAgo: outcome.unclaimedMs };
      await tx.updateStepRun(row.projectId, row.stepRunId, { ...ended, ...spent, ...began });
      return onlyRunnable([]);
    }
    case 'released':
      recorder.ofStep(row, 'StepReleased', [row.fence], { reason: outcome.reason });
      await tx.updateStepRun(row.projectId, row.stepRunId, { requeue: true, releases: row.releases + 1 });
      return onlyRunnable([row.stepRunId]);
    case 'cancelled':
      await cancelRunning(advance, row);
      return onlyRunnable([]);
    case 'waiting_for_compaction':
      return onlyRunnable(await waitForCompaction(advance, row, outcome));
    case 'parked':
      return onlyRunnable(await parkStep(advance, row, outcome.reason));
    case 'waiting_for_calls':
      return onlyRunnable(await waitForCalls(advance, row, outcome));
    case 'start_child':
      return startChild(advance, row, outcome.child);
    case 'failed':
      await writeFailure(advance, row, outcome.failure);
      return onlyRunnable([]);
    case 'fenced_out':
      return onlyRunnable([]);
  }
}

/** A running step that ends because its run is cancelled, or whose worker died while it was. */
export async function cancelRunning(
  { tx, recorder }: Pick<Advance, 'tx' | 'recorder'>,
  row: StepRunRecord,
): Promise<void> {
  recorder.ofStep(row, 'StepCancelled', [row.fence], {});
  interruptConversation(recorder, row, 'cancelled');
  await tx.updateStepRun(row.projectId, row.stepRunId, { status: 'cancelled', reason: null, ended: true });
}

function interruptConversation(
  recorder: RunRecorder,
  row: StepRunRecord,
  reason: 'cancelled' | 'failed' | 'timed_out',
): void {
  if (row.kind === 'agent') recorder.inConversation(row, 'ConversationInterrupted', [reason, row.attempt], { reason });
}

async function waitForCompaction(
  advance: Advance,
  row: StepRunRecord,
  wait: { compactionId: string; waitMs: number },
): Promise<string[]> {
  const { tx, recorder } = advance;
  // Under the compaction's lock: either it is still open and its end will find this wait, or it has ended and nobody waits.
  const compaction = await tx.lockCompaction(row.projectId, wait.compactionId);
  if (compaction === null || compaction.endedAt !== null) {
    await tx.updateStepRun(row.projectId, row.stepRunId, { requeue: true });
    return [row.stepRunId];
  }
  const due = await inMs(tx, wait.waitMs);
  recorder.ofStep(row, 'StepWaiting', [row.fence], { reason: 'compaction', key: wait.compactionId, due_at: due });
  await tx.addWait(row.projectId, row.stepRunId, { kind: 'compaction', key: wait.compactionId, dueInMs: wait.waitMs });
  await tx.updateStepRun(row.projectId, row.stepRunId, {
    status: 'waiting',
    reason: 'compaction',
    waitingKey: wait.compactionId,
    dueInMs: wait.waitMs,
  });
  return [];
}

/** The one place where a failure becomes a retry, a wait or an end. Also used by the sweeper for steps whose worker is gone. */
export async function writeFailure(
  advance: Advance,
  row: StepRunRecord,
  failure: FailureFacts,
  diagnosis: JsonObject = {},
): Promise<void> {
  const { definition, deps } = advance;
  const retry = effectiveStep(definition, row.stepId)?.retry ?? DEFAULT_RETRY;
  const decision = classifyFailure(failure, row.attempt, retry, deps.random());
  const error: RunError = { code: failure.kind, detail: failure.detail, step_id: row.stepId };
  if (decision.decision === 'dead_letter') await endDead(advance, row, error, diagnosis);
  else await performDecision(advance, row, decision, { error, model: failure.model ?? null });
}

function performDecision(
  advance: Advance,
  row: StepRunRecord,
  decision: Exclude<FailureDecision, { decision: 'dead_letter' }>,
  { error, model }: { error: RunError; model: string | null },
): Promise<void> {
  switch (decision.decision) {
    case 'retry':
      return scheduleRetry(advance, row, decision, error);
    case 'wait':
      return waitForTimer(advance, row, decision, model);
    case 'fail':
      return endFailed(advance, row, decision.status, error);
  }
}

async function scheduleRetry(
  { tx, recorder }: Advance,
  row: StepRunRecord,
  { attempt, delayMs }: { attempt: number; delayMs: number },
  error: RunError,
): Promise<void> {
  recorder.ofStep(row, 'StepRetryScheduled', [attempt], { attempt, due_at: await inMs(tx, delayMs), error });
  await tx.addWait(row.projectId, row.stepRunId, { kind: 'timer', key: 'retry', dueInMs: delayMs });
  const patch = { status: 'waiting', reason: 'timer', attempt, error, dueInMs: delayMs } as const;
  await tx.updateStepRun(row.projectId, row.stepRunId, patch);
}

async function waitForTimer(
  { tx, recorder }: Advance,
  row: StepRunRecord,
  { reason, delayMs }: { reason: WaitReason; delayMs: number },
  key: string | null,
): Promise<void> {
  recorder.ofStep(row, 'StepWaiting', [row.fence], { reason, key, due_at: await inMs(tx, delayMs) });
  await tx.addWait(row.projectId, row.stepRunId, { kind: 'timer', key: reason, dueInMs: delayMs });
  await tx.updateStepRun(row.projectId, row.stepRunId, {
    status: 'waiting',
    reason,
    waitingKey: key,
    dueInMs: delayMs,
  });
}

async function endFailed(
  advance: Advance,
  row: StepRunRecord,
  status: 'failed' | 'timed_out',
  error: RunError,
): Promise<void> {
  const { tx, run, recorder } = advance;
  await closeStep(advance, { stopped: [], childrenOf: [] }, row);
  const key = [row.attempt, run.generation];
  if (status === 'timed_out') recorder.ofStep(row, 'StepTimedOut', key, { error });
  else recorder.ofStep(row, 'StepFailed', key, { attempt: row.attempt, error });
  interruptConversation(recorder, row, status);
  await tx.updateStepRun(row.projectId, row.stepRunId, { status, reason: null, error, ended: true });
}

/** Nobody goes on with it by itself. `diagnosis`: what is known of how it took its workers down. */
async function endDead(advance: Advance, row: StepRunRecord, error: RunError, diagnosis: JsonObject): Promise<void> {
  const { tx, recorder } = advance;
  await closeStep(advance, { stopped: [], childrenOf: [] }, row);
  recorder.ofStep(row, 'StepDeadLettered', [row.fence], { error, diagnosis });
  interruptConversation(recorder, row, 'failed');
  await tx.updateStepRun(row.projectId, row.stepRunId, { status: 'dead_letter', reason: null, error, ended: true });
}
