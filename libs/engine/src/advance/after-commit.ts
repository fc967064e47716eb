import { dispatchNow } from '../dispatch/dispatch-now.js';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import { acquireAndAdvance } from '../start-run/acquire-and-advance.js';
import type { Advanced } from './advance-run.js';
import { RunRecorder } from './run-recorder.js';

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
    deps.logger.warn(
      { run_id: advanced.runId, error: String(error) },
      'wake-up failed; the sweeper finds what it was for',
    );
  }
}

async function startNext(deps: EngineDeps, advanced: Advanced): Promise<void> {
  const next = await deps.runs.nextOnStream(advanced.projectId, advanced.streamId);
  if (next !== null) await beginRun(deps, advanced.projectId, next);
}

/** Starts a queued run whose stream has become free. Another process may have been faster: then nothing happens. */
export async function beginRun(deps: EngineDeps, projectId: string, runId: string): Promise<void> {
  const known = await deps.runs.getRun(projectId, runId);
  if (known === null) return;
  const definition = await loadDefinition(deps, projectId, known.pipeline, known.pipelineVersion);
  const advanced = await deps.runs.transact(async (tx) => {
    const run = await tx.lockRun(projectId, runId);
    if (run === null || run.status !== 'queued') return null;
    const recorder = new RunRecorder(deps, run);
    const begun = await acquireAndAdvance({ deps, tx, run, definition, recorder });
    await recorder.flush(tx);
    return begun;
  });
  if (advanced !== null) await afterCommit(deps, advanced);
}
