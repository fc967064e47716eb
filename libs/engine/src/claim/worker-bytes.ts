/** How long what was seen is told again: asking the kernel costs more than most claims. */
const FRESH_MS = 1000;
let seen = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };

/** The memory of this process, as of at most a second ago. */
export function workerBytes(): number {
  const nowMs = performance.now();
  if (nowMs - seen.atMs > FRESH_MS) seen = { bytes: process.memoryUsage.rss(), atMs: nowMs };
  return seen.bytes;
}
