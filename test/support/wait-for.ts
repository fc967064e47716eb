import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for a state, not for a time: asks until the answer is neither null, undefined nor false, and returns it.
 * An answer that throws counts as "not yet"; after the deadline the last error is the cause.
 */
export async function waitFor<T>(
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  options: { what?: string; timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const { what = 'the expected state', timeoutMs = 15_000, everyMs = 20 } = options;
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${timeoutMs} ms`, { cause });
    await delay(everyMs);
  }
}
