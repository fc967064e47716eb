import type { EngineDeps } from '../engine-deps.js';
import type { StepJob } from '../ports/step-queue.port.js';

export type DispatchDeps = Pick<EngineDeps, 'runs' | 'queue' | 'admission' | 'wakeups' | 'logger'>;

/**
 * Pushes what this process has just made runnable: `dispatched` are marked already (`pushing`: and have been sent to the queue), of
 * `runnable` as many as admission has room for; the relay pushes the rest. Where others wait already, it pushes as many of those
 * whose turn it is.
 * Never throws: a queue that is away costs time, not work, because undispatched rows are the outbox.
 */
export async function dispatchNow(
  deps: DispatchDeps,
  runnable: readonly string[],
  dispatched: readonly StepJob[] = [],
  pushing?: Promise<void>,
): Promise<void> {
  try {
    // In this order: the queue is asked for room after it has taken what was reserved.
    await pushJobs(deps, dispatched, pushing);
    await pushRunnable(deps, runnable);
  } catch (error) {
    deps.logger.warn(
      { error: String(error), steps: runnable.length + dispatched.length },
      'dispatch put off: the relay pushes these steps when the queue answers',
    );
  }
}

async function pushRunnable(deps: DispatchDeps, stepRunIds: readonly string[]): Promise<void> {
  if (stepRunIds.length === 0) return;
  await deps.queue.room();
  const room = deps.queue.reserve(stepRunIds.length);
  const isCrowd = room < stepRunIds.length;
  if (isCrowd) deps.admission.note(true);
  if (room > 0) await pushJobs(deps, await takeNow(deps, stepRunIds.slice(0, room)));
  // Only now: those who look at once would pass over rows that are being taken here.
  if (isCrowd) await deps.wakeups.publishCrowded();
}

async function takeNow({ runs, admission }: DispatchDeps, stepRunIds: readonly string[]): Promise<StepJob[]> {
  return admission.isCrowded ? runs.takeRunnable(stepRunIds.length) : runs.takeThese(stepRunIds);
}

/** Pushes jobs whose rows are marked as dispatched; gives the rows back when the queue does not take them. */
export async function pushJobs(deps: DispatchDeps, jobs: readonly StepJob[], pushing?: Promise<void>): Promise<void> {
  if (jobs.length === 0) return;
  try {
    await (pushing ?? deps.queue.push(jobs));
  } catch (error) {
    await deps.runs.undispatch(jobs);
    throw error;
  }
}
