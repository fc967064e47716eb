import type { EngineDeps } from '../engine-deps.js';
import type { StepJob } from '../ports/step-queue.port.js';

/**
 * Pushes jobs of steps whose `write` is under way (ADR 0041): whoever takes one waits for it. Undefined: there are none. When the
 * queue does not take them, their rows are given back once they are stored, by `dispatchNow`.
 */
export function pushAhead(
  { coming, queue }: Pick<EngineDeps, 'coming' | 'queue'>,
  jobs: readonly StepJob[],
  write: Promise<unknown>,
): Promise<void> | undefined {
  if (jobs.length === 0) return undefined;
  coming.expect(
    jobs.map(({ stepRunId }) => stepRunId),
    write,
  );
  const pushing = queue.push(jobs);
  // Read after the commit, and not at all when there is none.
  pushing.catch(() => undefined);
  return pushing;
}
