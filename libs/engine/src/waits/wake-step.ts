import type { Advance } from '../advance/advance.js';
import type { StepRunRecord } from '../ports/run-records.port.js';

/** A waiting step is runnable again. Returns its id, for the dispatch after the commit. */
export async function wakeStep(
  { tx, recorder }: Pick<Advance, 'tx' | 'recorder'>,
  row: StepRunRecord,
): Promise<string[]> {
  if (row.reason !== null) recorder.ofStep(row, 'StepWoken', [row.fence, row.dispatchNo], { reason: row.reason });
  await tx.removeWaits(row.projectId, row.stepRunId);
  await tx.updateStepRun(row.projectId, row.stepRunId, { requeue: true });
  return [row.stepRunId];
}
