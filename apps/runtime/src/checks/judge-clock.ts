import { failing, fine, warning, type ClockSkew, type Finding } from '#libs/domain';

const WARN_MS = 2000;
const FAIL_MS = 60_000;

/**
 * Leases, timers and order are by the database's clock alone, so a process with a wrong one harms nobody's work (row G13);
 * its own deadlines, time stamps of webhooks and the times in its answers are wrong by as much.
 */
export function judgeClock(id: string, server: string, { skewMs, uncertaintyMs }: ClockSkew): Finding {
  const surely = Math.max(0, Math.abs(skewMs) - uncertaintyMs);
  const shown = `${(Math.abs(skewMs) / 1000).toFixed(2)} s ${skewMs < 0 ? 'behind' : 'ahead of'} this machine`;
  const what = { id, found: `${server} is ${shown}`, expected: `within ${WARN_MS / 1000} s`, isNeeded: false };
  const advice = 'let NTP set the clocks of all machines';
  if (surely < WARN_MS) return fine(what);
  return surely < FAIL_MS ? warning(what, advice) : failing(what, advice);
}
