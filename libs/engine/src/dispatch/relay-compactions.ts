import type { EngineDeps } from '../engine-deps.js';

/** Compactions are few (one open per view), so they need no admission. */
const BATCH = 100;

/** As `relay`, for the compactions' own queue. @throws RetryableError when the queue is away; the rows are given back then. */
export async function relayCompactions({
  compactions,
  queue,
}: Pick<EngineDeps, 'compactions' | 'queue'>): Promise<{ more: boolean }> {
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

/** What `dispatchNow` is for steps: pushes what this process just requested. Never throws; the relay pushes what is left. */
export async function dispatchCompactions(
  deps: Pick<EngineDeps, 'compactions' | 'queue' | 'logger'>,
  projectId: string,
  compactionIds: readonly string[],
): Promise<void> {
  try {
    // All that are due: they are few, and the oldest should not wait for the newest.
    await relayCompactions(deps);
  } catch (error) {
    deps.logger.warn(
      { project_id: projectId, compactions: [...compactionIds], error: String(error) },
      'dispatch of compactions put off: the relay pushes them when the queue answers',
    );
  }
}
