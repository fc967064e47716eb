/** How far a server's clock is from this process': positive when the server is ahead. */
export type ClockSkew = { readonly skewMs: number; readonly uncertaintyMs: number };

const ROUNDS = 3;

/**
 * Asks a server for its time and takes the middle of the round trip for the moment of its answer; of three the quickest
 * counts (the first may have opened a connection). Milliseconds.
 */
export async function measureClockSkew(askMs: () => Promise<number>, nowMs: () => number): Promise<ClockSkew> {
  let best: ClockSkew | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = nowMs();
    const theirs = await askMs();
    const uncertaintyMs = (nowMs() - before) / 2;
    if (best === null || uncertaintyMs < best.uncertaintyMs)
      best = { skewMs: theirs - (before + uncertaintyMs), uncertaintyMs };
  }
  return best ?? { skewMs: 0, uncertaintyMs: Infinity };
}
