import { isEndedRun, type RunStatus, type StoredSpendLimit } from '#libs/domain';
import { RunRecorder } from './advance/run-recorder.js';
import type { EngineDeps } from './engine-deps.js';
import type { RunRecord } from './ports/run-records.port.js';
import type { RunTransaction } from './ports/run-store.port.js';
import { changeStep } from './sweep/change-step.js';
import { spentOf } from './waits/halt.js';
import { wakeStep } from './waits/wake-step.js';

export type PauseResult =
  | { status: 'paused' | 'resumed'; run: RunRecord }
  | { status: 'not_found' }
  | { status: 'already_ended'; runStatus: RunStatus }
  /** The limit that was given is spent already: the run would stop again at once. */
  | { status: 'limit_spent'; spent: string };

type At = { projectId: string; runId: string };

/**
 * Running steps stop at their next turn boundary, new ones as soon as a worker has them; timers run on and people may decide
 * meanwhile. Child runs are paused with it. Idempotent.
 */
export async function pauseRun(deps: EngineDeps, at: At & { reason: string | null }): Promise<PauseResult> {
  return change(deps, at, async (tx, run, recorder) => {
    if (run.pausedAt !== null) return 'paused';
    recorder.ofRun('RunPaused', [await pausesOf(tx, run)], { reason: at.reason });
    await tx.updateRun(run.projectId, run.runId, { paused: true });
    return 'paused';
  });
}

/** What is absent stays as it is; null takes a bound away. */
export type SpendLimitChange = { [bound in keyof StoredSpendLimit]?: StoredSpendLimit[bound] | undefined };

/** Lifts the pause and, when bounds are given, changes the spend limit; steps that stopped for either go on. Idempotent. */
export async function resumeRun(
  deps: EngineDeps,
  at: At & { spendLimit: SpendLimitChange | null },
): Promise<PauseResult> {
  const spent = at.spendLimit === null ? null : await spentOfNewLimit(deps, at, at.spendLimit);
  if (spent !== null) return { status: 'limit_spent', spent };
  const result = await change(deps, at, async (tx, run, recorder) => {
    const count = await pausesOf(tx, run);
    if (run.pausedAt !== null) recorder.ofRun('RunResumed', [count], {});
    const spendLimit = at.spendLimit === null ? null : changedLimit(run, at.spendLimit);
    if (spendLimit !== null) recorder.ofRun('SpendLimitChanged', [count], { spend_limit: spendLimit });
    await tx.updateRun(run.projectId, run.runId, { paused: false, ...(spendLimit && { spendLimit }) });
    return 'resumed';
  });
  if (result.status === 'resumed') await wakeStopped(deps, at);
  return result;
}

function changedLimit({ spendLimit }: RunRecord, change: SpendLimitChange): StoredSpendLimit {
  const { tokens = spendLimit?.tokens ?? null, on_exceeded = spendLimit?.on_exceeded ?? 'pause' } = change;
  const { cost_usd = spendLimit?.cost_usd ?? null, tool_calls = spendLimit?.tool_calls ?? null } = change;
  return { tokens, cost_usd, tool_calls, on_exceeded };
}

/** Only of an open run that has a limit now: no other one has stopped at it. */
async function spentOfNewLimit(
  deps: EngineDeps,
  { projectId, runId }: At,
  change: SpendLimitChange,
): Promise<string | null> {
  const run = await deps.runs.getRun(projectId, runId);
  if (run === null || isEndedRun(run.status) || run.spendLimit === null) return null;
  const limit = changedLimit(run, change);
  const { spending } = await deps.runs.standing(projectId, runId);
  return spentOf({ spending: spending.filter((one) => one.runId === runId).map((one) => ({ ...one, limit })) });
}

/** Changes the spend limit and nothing else: a paused run stays paused. Steps that stopped at the old limit go on. */
export async function changeSpendLimit(
  deps: EngineDeps,
  at: At & { spendLimit: StoredSpendLimit },
): Promise<PauseResult> {
  const { spendLimit } = at;
  const result = await change(deps, at, async (tx, run, recorder) => {
    recorder.ofRun('SpendLimitChanged', [await pausesOf(tx, run)], { spend_limit: spendLimit });
    await tx.updateRun(run.projectId, run.runId, { spendLimit });
    return 'resumed';
  });
  if (result.status === 'resumed') await wakeStopped(deps, at);
  return result;
}

/** A crash before this is what the sweeper's look at parked steps is for. Those for whom nothing has changed stop again at once. */
async function wakeStopped(deps: EngineDeps, { projectId, runId }: At): Promise<void> {
  for (const reason of ['paused', 'spend_limit'] as const)
    for (const step of await deps.runs.stepsWaitingFor(projectId, runId, reason))
      await changeStep(deps, step, async (advance, row) =>
        row.status === 'waiting' && row.reason === reason ? wakeStep(advance, row) : null,
      );
}

/** Tells the events of one pause from those of the next. */
async function pausesOf(tx: RunTransaction, run: RunRecord): Promise<number> {
  const types = ['RunPaused', 'RunResumed', 'SpendLimitChanged'] as const;
  const events = await tx.read({ projectId: run.projectId, streamId: run.streamId, types });
  return events.filter(({ runId }) => runId === run.runId).length;
}

async function change(
  deps: EngineDeps,
  { projectId, runId }: At,
  write: (tx: RunTransaction, run: RunRecord, recorder: RunRecorder) => Promise<'paused' | 'resumed'>,
): Promise<PauseResult> {
  return deps.runs.transact(async (tx): Promise<PauseResult> => {
    const run = await tx.lockRun(projectId, runId);
    if (run === null) return { status: 'not_found' };
    if (isEndedRun(run.status) || run.status === 'cancelling')
      return { status: 'already_ended', runStatus: run.status };
    const recorder = new RunRecorder(deps, run);
    const status = await write(tx, run, recorder);
    await recorder.flush(tx);
    return { status, run: (await tx.lockRun(projectId, runId)) ?? run };
  });
}
