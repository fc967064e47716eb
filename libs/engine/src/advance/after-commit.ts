import { dispatchNow } from '../dispatch/dispatch-now.js';
import type { EngineDeps } from '../engine-deps.js';
import { beginRun } from '../start-run/begin-run.js';
import type { Advanced } from './advance-run.js';

/**
 * Wake-ups after a commit. All of them may get lost: the relay, the sweeper and the pollers find the same from the rows.
 * Never throws.
 */
export async function afterCommit(deps: EngineDeps, advanced: Advanced): Promise<void> {
  await dispatchNow(deps, advanced.runnable);
  try {
    await deps.wakeups.publishProgress(advanced.runId);
    if (advanced.ended !== null) await startNext(deps, advanced);
  } catch (error) {
    deps.logger.warn({ run_id: advanced.runId, error: String(error) }, 'wake-up failed; the sweeper finds what it was for');
  }
}

async function startNext(deps: EngineDeps, advanced: Advanced): Promise<void> {
  const next = await deps.runs.nextOnStream(advanced.projectId, advanced.streamId);
  if (next !== null) await beginRun(deps, advanced.projectId, next);
}
