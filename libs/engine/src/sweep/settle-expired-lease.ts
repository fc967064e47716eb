import type { EngineDeps } from '../engine-deps.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import { cancelRunning } from '../settle-step.js';
import { buryStep } from './bury-step.js';
import { changeStep } from './change-step.js';

/**
 * A worker stopped renewing its lease: it died, hangs, or is cut off. The step is dispatched again (not an attempt), unless
 * its run is to be cancelled, or it has now taken down so many workers in a row without getting anywhere that it is poison. False: it is not as it was found.
 */
export async function settleExpiredLease(deps: EngineDeps, found: StepRunRecord): Promise<boolean> {
  const position = await deps.runs.lastPositionOfStep(found);
  const mayBeLast = found.stalls + 1 >= deps.settings.maxStalls;
  const journal = mayBeLast ? await deps.runs.journalSizeOfStep(found) : null;
  return changeStep(deps, found, async (advance, row) => {
    // The fence tells whether it is still the same claim; a renewed lease keeps the fence, so its end counts too.
    if (row.status !== 'running' || row.fence !== found.fence || row.leaseUntil !== found.leaseUntil) return null;
    if (advance.run.cancelRequestedAt !== null) {
      await cancelRunning(advance, row);
      return [];
    }
    const hasProgressed = row.stallPosition === null || position > row.stallPosition;
    const stalls = hasProgressed ? 1 : row.stalls + 1;
    if (stalls >= deps.settings.maxStalls) {
      await buryStep(advance, row, { stalls, journal });
      return [];
    }
    deps.logger.warn(
      { run_id: row.runId, step_id: row.stepId, worker_id: row.workerId, stalls },
      'lease expired: the step is dispatched again',
    );
    await advance.tx.updateStepRun(row.projectId, row.stepRunId, { requeue: true, stalls, stallPosition: position });
    return [row.stepRunId];
  });
}
