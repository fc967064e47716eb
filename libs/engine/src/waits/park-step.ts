import type { Advance } from '../advance/advance.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import { haltBy } from './halt.js';

/**
 * A step that stopped at a turn boundary, until the run is resumed or its limit raised. Its time-out stands still. Asked
 * again under the run's lock: what was lifted meanwhile makes it runnable at once.
 */
export async function parkStep(
  { tx, recorder }: Advance,
  row: StepRunRecord,
  reason: 'paused' | 'spend_limit',
): Promise<string[]> {
  if (haltBy(await tx.standing(row.projectId, row.runId))?.kind !== 'parked') {
    await tx.updateStepRun(row.projectId, row.stepRunId, { requeue: true });
    return [row.stepRunId];
  }
  recorder.ofStep(row, 'StepWaiting', [row.fence], { reason, key: null, due_at: null });
  await tx.updateStepRun(row.projectId, row.stepRunId, { status: 'waiting', reason, clockStopped: true });
  return [];
}
