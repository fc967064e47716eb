import type { HeldSteps } from './held-steps.js';

/** After the abort a step only writes that it is released: one transaction. */
const RELEASE_MS = 5000;

/**
 * Ends this process' steps in the order of design/durability.md "Cancel, pause, shutdown": no step begins, those that run
 * stop at their next turn boundary and are released; after `drainMs` what still runs is aborted. Heartbeats must go on
 * meanwhile. Resolves within `drainMs` + 5 s; `left`: steps that never stopped, whose leases will expire.
 */
export async function drain(held: HeldSteps, drainMs: number): Promise<{ left: number }> {
  held.drain();
  if (await idleWithin(held, drainMs)) return { left: 0 };
  held.stopAll('shutdown');
  await idleWithin(held, RELEASE_MS);
  return { left: held.all().length };
}

async function idleWithin(held: HeldSteps, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([held.whenIdle().then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
