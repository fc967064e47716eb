import { isEndedRun, type RunStatus } from '#libs/domain';
import { afterCommit } from './advance/after-commit.js';
import { advanceRun, type Advanced } from './advance/advance-run.js';
import { RunRecorder } from './advance/run-recorder.js';
import type { EngineDeps } from './engine-deps.js';
import { loadDefinition } from './load-definition.js';

export type CancelRun = { projectId: string; runId: string; reason: string | null };

export type CancelResult =
  | { status: 'not_found' }
  | { status: 'already_ended'; runStatus: RunStatus }
  /** Running steps were told; the run ends when they have. */
  | { status: 'cancelling' }
  | { status: 'cancelled' };

/** A row, a publish, a poll: waiting steps end in this transaction, running ones are aborted by their worker. Idempotent. */
export async function cancelRun(deps: EngineDeps, command: CancelRun): Promise<CancelResult> {
  return stopRun(deps, command, null);
}

/** The same for a run whose time is over (`run_timeout` makes it end as timed_out). */
export async function stopRun(
  deps: EngineDeps,
  command: CancelRun,
  statusReason: 'run_timeout' | null,
): Promise<CancelResult> {
  const known = await deps.runs.getRun(command.projectId, command.runId);
  if (known === null) return { status: 'not_found' };
  const definition = await loadDefinition(deps, command.projectId, known.pipeline, known.pipelineVersion);
  const outcome = await deps.runs.transact(async (tx): Promise<{ result: CancelResult; advanced: Advanced | null }> => {
    const run = await tx.lockRun(command.projectId, command.runId);
    if (run === null) return { result: { status: 'not_found' }, advanced: null };
    if (isEndedRun(run.status)) return { result: { status: 'already_ended', runStatus: run.status }, advanced: null };
    const recorder = new RunRecorder(deps, run);
    const cancelling = {
      ...run,
      status: 'cancelling' as const,
      cancelRequestedAt: run.cancelRequestedAt ?? deps.now().toISOString(),
      cancelReason: run.cancelReason ?? command.reason,
      statusReason: run.statusReason === 'run_timeout' ? 'run_timeout' : statusReason,
    };
    if (run.cancelRequestedAt === null)
      recorder.ofRun('RunCancelRequested', [run.generation], { reason: command.reason });
    await tx.updateRun(run.projectId, run.runId, {
      status: 'cancelling',
      statusReason: cancelling.statusReason,
      cancelReason: cancelling.cancelReason,
      cancelRequested: true,
    });
    const advanced = await advanceRun({ deps, tx, run: cancelling, definition, recorder });
    await recorder.flush(tx);
    return { result: { status: advanced.ended === null ? 'cancelling' : 'cancelled' }, advanced };
  });
  if (outcome.advanced !== null) await tellOthers(deps, outcome.advanced);
  return outcome.result;
}

async function tellOthers(deps: EngineDeps, advanced: Advanced): Promise<void> {
  deps.held.stopRun(advanced.runId, 'cancelled');
  try {
    await deps.wakeups.publishCancel(advanced.runId);
  } catch (error) {
    deps.logger.warn(
      { run_id: advanced.runId, error: String(error) },
      'cancel was not published; workers find it at their next poll',
    );
  }
  await afterCommit(deps, advanced);
}
