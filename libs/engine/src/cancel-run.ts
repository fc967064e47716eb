import { afterCommit } from './advance/after-commit.js';
import { requestCancel, tellCancelled, type CancelResult, type CancelRun } from './advance/request-cancel.js';
import type { EngineDeps } from './engine-deps.js';

export type { CancelResult, CancelRun } from './advance/request-cancel.js';

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
  const { result, advanced } = await requestCancel(deps, command, statusReason);
  if (advanced === null) return result;
  await tellCancelled(deps, advanced.runId);
  await afterCommit(deps, advanced);
  return result;
}
