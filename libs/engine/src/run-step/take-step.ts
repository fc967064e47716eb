import { setTimeout } from 'node:timers/promises';
import type { EngineDeps } from '../engine-deps.js';
import type { Claimed } from '../ports/run-store.port.js';
import { leaseOf } from './held-claim.js';
import { recallStep } from './recall-step.js';

/** How often a step that is not there yet is looked for; 1.3 s in all. A commit that takes longer is left to the sweeper. */
const FIRST_WAIT_MS = 5;
const LAST_WAIT_MS = 640;

/**
 * What a job is for: recalled where this process made it runnable, else claimed. A job may be here before its step is stored
 * (ADR 0041), so one that is not there is waited for. Null: somebody else has it, it ended, or it never came.
 */
export async function takeStep(
  deps: EngineDeps,
  job: { stepRunId: string; dispatchNo: number },
): Promise<Claimed | null> {
  const wasComing = await deps.coming.arrived(job.stepRunId);
  const recalled = await recallStep(deps, job);
  if (recalled !== null) return recalled;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    const claimed = await deps.runs.claimStep({ ...job, ...leaseOf(deps) });
    if (claimed !== null || wasComing || waitMs > LAST_WAIT_MS) return claimed;
    const row = await deps.runs.getStepRun(job.stepRunId);
    if (row === null) await setTimeout(waitMs);
    else if (row.status !== 'queued' || row.dispatchNo !== job.dispatchNo) return null;
  }
}
