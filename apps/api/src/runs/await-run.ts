import { isEndedRun } from '#libs/domain';
import { findRunStatus, type ReadDatabase } from '#libs/event-store';
import type { ProgressHub } from '../events/progress-hub.js';
import { Wake } from '../events/wake.js';

const POLL_MS = 1000;

/** Waits until the run has ended, the time is over, or the signal aborts. True: it has ended. */
export async function awaitRun(
  on: { db: ReadDatabase; hub: ProgressHub; signal: AbortSignal },
  run: { projectId: string; runId: string; waitMs: number },
): Promise<boolean> {
  const deadline = performance.now() + run.waitMs;
  const wake = new Wake();
  const stopListening = on.hub.listen(run.runId, { onProgress: () => wake.ring() });
  try {
    for (;;) {
      const status = await findRunStatus(on.db, run.projectId, run.runId);
      if (status !== null && isEndedRun(status)) return true;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || on.signal.aborted) return false;
      await wake.wait(Math.min(POLL_MS, leftMs), on.signal);
    }
  } finally {
    stopListening();
  }
}
