import { isEndedRun, type RunStatus } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import { advanceRun, type Advanced } from './advance-run.js';
import { RunRecorder } from './run-recorder.js';

export type CancelRun = { projectId: string; runId: string; reason: string | null };

export type CancelResult =
  | { status: 'not_found' }
  | { status: 'already_ended'; runStatus: RunStatus }
  /** Running steps were told; the run ends when they have. */
  | { status: 'cancelling' }
  | { status: 'cancelled' };

type Requested = { result: CancelResult; advanced: Advanced | null };

/** The row and the waiting steps, in one transaction. The caller tells the running ones and calls `afterCommit`. */
export async function requestCancel(
  deps: EngineDeps,
  command: CancelRun,
  statusReason: 'run_timeout' | null,
): Promise<Requested> {
  const known = await deps.runs.getRun(command.projectId, command.runId);
  if (known === null) return { result: { status: 'not_found' }, advanced: null };
  const definition = await loadDefinition(deps, command.projectId, known.pipeline, known.pipelineVersion);
  return deps.runs.transact(async (tx): Promise<Requested> => {
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
}

/** Running steps, here and elsewhere. May get lost: workers poll. */
export async function tellCancelled(deps: EngineDeps, runId: string): Promise<void> {
  deps.held.stopRun(runId, 'cancelled');
  try {
    await deps.wakeups.publishCancel(runId);
  } catch (error) {
    deps.logger.warn(
      { run_id: runId, error: String(error) },
      'cancel was not published; workers find it at their next poll',
    );
  }
}
