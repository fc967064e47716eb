import type { Advance } from '../advance/advance.js';
import type { StepRunRecord } from '../ports/run-records.port.js';

/** A step that stopped at a turn boundary, until the run is resumed or its limit raised. Its time-out stands still. */
export async function parkStep(
  { tx, recorder }: Advance,
  row: StepRunRecord,
  reason: 'paused' | 'spend_limit',
): Promise<string[]> {
  recorder.ofStep(row, 'StepWaiting', [row.fence], { reason, key: null, due_at: null });
  await tx.updateStepRun(row.projectId, row.stepRunId, { status: 'waiting', reason, clockStopped: true });
  return [];
}
