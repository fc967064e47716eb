import { setTimeout } from 'node:timers/promises';
import type { EngineDeps } from '../engine-deps.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import type { Claimed } from '../ports/run-store.port.js';
import { leaseOf } from './held-claim.js';
import { recallStep } from './recall-step.js';

export type StepJobRef = { stepRunId: string; dispatchNo: number };

/** How often a step that is not there yet is looked for; 1.3 s in all. A commit that takes longer is left to the sweeper. */
const FIRST_WAIT_MS = 5;
const LAST_WAIT_MS = 640;

/**
 * What a job is for: recalled where this process made it runnable, else claimed. A job may be here before its step is stored
 * (ADR 0041), so one that is not there is waited for. Null: somebody else has it, it ended, or it never came.
 */
export async function takeStep(deps: EngineDeps, job: StepJobRef): Promise<Claimed | null> {
  const wasComing = await deps.coming.arrived(job.stepRunId);
  const recalled = await recallStep(deps, job);
  if (recalled !== null) return recalled;
  const claim = (): Promise<Claimed | null> => deps.runs.claimStep({ ...job, ...leaseOf(deps) });
  const claimed = await claim();
  if (claimed !== null || wasComing) return claimed;
  const row = await storedStep(deps, job);
  return row?.status === 'queued' && row.dispatchNo === job.dispatchNo ? claim() : null;
}

/** What a process that drains has been given goes back under a new number. */
export async function giveBack(deps: EngineDeps, job: StepJobRef): Promise<void> {
  await deps.coming.arrived(job.stepRunId);
  await storedStep(deps, job);
  await deps.runs.redispatch([job]);
}

/** Null: it never came. */
async function storedStep({ runs }: EngineDeps, { stepRunId }: StepJobRef): Promise<StepRunRecord | null> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    const row = await runs.getStepRun(stepRunId);
    if (row !== null || waitMs > LAST_WAIT_MS) return row;
    await setTimeout(waitMs);
  }
}
