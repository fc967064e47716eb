/** Failures that the same model would repeat. Overflow of a context is not one of them: that is the ladder's. */
const TERMINAL: ReadonlySet<string> = new Set(['invalid_request', 'authentication', 'refused']);
/** Failures that pass, but not soon when they repeat. */
const OVERLOAD: ReadonlySet<string> = new Set([
  'overloaded',
  'server_error',
  'timeout_idle',
  'timeout_total',
  'network',
]);
/** In a row of one model, after which the next one is asked. */
const OVERLOADS = 2;

/** Which of an agent's models is asked, and how many overloads of it there were in a row. */
export type ModelStanding = { readonly index: number; readonly overloads: number };
export const FIRST_MODEL: ModelStanding = { index: 0, overloads: 0 };

/**
 * Pure: which of `count` models (the agent's own, then its fallback models) answers the next call after this one failed. A step
 * never goes back to a model that it has left; an answer ends a row of overloads.
 */
export function afterFailure({ index, overloads }: ModelStanding, failed: string, count: number): ModelStanding {
  const more = OVERLOAD.has(failed) ? overloads + 1 : overloads;
  const isOver = TERMINAL.has(failed) || more >= OVERLOADS;
  return isOver && index + 1 < count ? { index: index + 1, overloads: 0 } : { index, overloads: more };
}
