import type { EngineDeps } from '../engine-deps.js';

/** Compactions are few (one open per view), so they need no admission. */
const BATCH = 100;

/** As `relay`, for the compactions' own queue. @throws RetryableError when the queue is away; the rows are given back then. */
export async function relayCompactions({ compactions, queue }: Pick<EngineDeps, 'compactions' | 'queue'>): Promise<{ more: boolean }> {
  const jobs = await compactions.takeRunnableCompactions(BATCH);
  if (jobs.length === 0) return { more: false };
  try {
    await queue.pushCompactions(jobs);
  } catch (error) {
    await compactions.undispatchCompactions(jobs);
    throw error;
  }
  return { more: jobs.length === BATCH };
}
