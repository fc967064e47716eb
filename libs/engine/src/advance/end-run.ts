import type { Json, RunError, RunStatus, ScopeEnd } from '#libs/domain';
import type { RunPatch } from '../ports/run-records.port.js';
import type { Advance, Advanced } from './advance.js';

/** The last word about a run. `end` null: its steps were cancelled. */
export async function endRun(advance: Advance, advanced: Advanced, end: ScopeEnd | null): Promise<void> {
  const { run, recorder } = advance;
  const key = [run.generation];
  if (end === null) return endCancelled(advance, advanced);
  switch (end.kind) {
    case 'succeeded':
      recorder.ofRun('RunSucceeded', key, { output: end.output });
      return write(advance, advanced, 'succeeded', { output: end.output });
    case 'failed':
      recorder.ofRun('RunFailed', key, { error: end.error });
      return write(advance, advanced, 'failed', { error: end.error });
    case 'dead_letter':
      recorder.ofRun('RunDeadLettered', key, { error: end.error });
      return write(advance, advanced, 'dead_letter', { error: end.error });
  }
}

async function endCancelled(advance: Advance, advanced: Advanced): Promise<void> {
  const { run, recorder } = advance;
  // A run's own deadline ends it through the same cancel of its steps; only the last word differs.
  if (run.statusReason === 'run_timeout') {
    const error: RunError = {
      code: 'run_timeout',
      detail: `the run did not end by ${run.timeoutAt ?? 'its deadline'}; raise the pipeline's timeout or the run's deadline`,
      step_id: null,
    };
    recorder.ofRun('RunTimedOut', [run.generation], { error });
    return write(advance, advanced, 'timed_out', { error });
  }
  recorder.ofRun('RunCancelled', [run.generation], { reason: run.cancelReason });
  return write(advance, advanced, 'cancelled', {});
}

async function write(
  { tx, run }: Advance,
  advanced: Advanced,
  status: RunStatus,
  patch: RunPatch & { output?: Json },
): Promise<void> {
  await tx.updateRun(run.projectId, run.runId, { ...patch, status, statusReason: null, ended: true });
  await tx.releaseStream(run);
  advanced.ended = status;
}
