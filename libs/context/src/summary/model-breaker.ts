import { BREAKER_FAILURES, type ModelFailures } from '../view/compaction-state.js';

/** `open`: `BREAKER_FAILURES` requests in a row failed. In both other states than `closed` one model call is made per window. */
export type BreakerState = 'closed' | 'backing_off' | 'open';

const LEAST_WINDOW_TURNS = 4;
const WINDOW_SHARE = 0.25;
const MOST_DOUBLINGS = 4;

export function breakerState({ inARow }: ModelFailures): BreakerState {
  if (inARow === 0) return 'closed';
  return inARow >= BREAKER_FAILURES ? 'open' : 'backing_off';
}

/**
 * Whether models may be asked again: after a request whose models all failed, the range must have grown by the window,
 * max(4 turns, 25 %), doubled with each further failure, at most sixteenfold. Turns, not time: read from events alone.
 * @param turns turns in the range of the last failed request, and in the range that is asked for now.
 */
export function mayAskModels(failures: ModelFailures, turns: { before: number; now: number }): boolean {
  if (failures.inARow === 0) return true;
  const window = Math.max(LEAST_WINDOW_TURNS, Math.ceil(WINDOW_SHARE * turns.before));
  return turns.now - turns.before >= window * 2 ** Math.min(MOST_DOUBLINGS, failures.inARow - 1);
}
