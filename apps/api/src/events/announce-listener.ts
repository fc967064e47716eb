import type { RunRecord, Wakeups } from '#libs/engine';

/** An announcement holds four times as long. */
const REPEAT_MS = 15_000;

/** Tells workers that somebody reads along, so that they ask models to stream. Returns how to stop. */
export function announceListener(
  wakeups: Pick<Wakeups, 'announceListener'>,
  run: Pick<RunRecord, 'projectId' | 'streamId'>,
): () => void {
  // A wake-up that gets lost is reported where it is sent; the next one follows.
  const announce = (): void => void wakeups.announceListener(run.projectId, run.streamId);
  announce();
  const timer = setInterval(announce, REPEAT_MS);
  return () => clearInterval(timer);
}
