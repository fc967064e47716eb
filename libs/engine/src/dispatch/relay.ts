import { RetryableError } from '#libs/domain';
import type { StepJob } from '../ports/step-queue.port.js';
import { pushJobs, type DispatchDeps } from './dispatch-now.js';

/** One statement and one push; more rows wait for the next turn, which follows at once. */
const BATCH = 200;

/**
 * The relay of the outbox: pushes runnable steps that nobody pushed (a process died after its commit, the queue was
 * full or away), as far as admission has room and in their turn. `more`: rows may be left and there may be room for them.
 * @throws RetryableError when the queue is away; the rows are undispatched again then.
 */
export async function relay(deps: DispatchDeps): Promise<{ pushed: number; more: boolean }> {
  const limit = deps.queue.reserve(Math.min(await deps.queue.room(), BATCH));
  if (limit <= 0) {
    deps.admission.note(true);
    return { pushed: 0, more: false };
  }
  const jobs = await deps.runs.takeRunnable(limit);
  deps.admission.note(jobs.length > 0);
  return { pushed: await pushBatch(deps, jobs), more: jobs.length > 0 };
}

async function pushBatch(deps: DispatchDeps, jobs: readonly StepJob[]): Promise<number> {
  try {
    await pushJobs(deps, jobs);
    return jobs.length;
  } catch (error) {
    if (error instanceof RetryableError || jobs.length === 0) throw error;
    // The queue answered and refuses: one of them is at fault, and must not keep the others waiting.
    return pushOneByOne(deps, jobs);
  }
}

async function pushOneByOne(deps: DispatchDeps, jobs: readonly StepJob[]): Promise<number> {
  const taken = await deps.runs.takeThese(jobs.map((job) => job.stepRunId));
  let pushed = 0;
  for (const job of taken) {
    try {
      await deps.queue.push([job]);
      pushed += 1;
    } catch (error) {
      if (error instanceof RetryableError) {
        await deps.runs.undispatch(taken.slice(taken.indexOf(job)));
        throw error;
      }
      // It stays marked as dispatched, so it is not first in line again at once; the sweeper finds it missing later.
      deps.logger.error(
        { step_run_id: job.stepRunId, dispatch_no: job.dispatchNo, error: String(error) },
        'the queue refuses this step',
      );
    }
  }
  return pushed;
}
