import { createContext, Script } from 'node:vm';

export type BoundedCall<T> = { readonly timedOut: false; readonly value: T } | { readonly timedOut: true };

const slot: { call: () => void } = { call: () => undefined };
const context = createContext({ slot });
const script = new Script('slot.call()');

/**
 * Runs synchronous code that is ended when it takes longer than `timeoutMs`: `vm` stops the whole stack below it,
 * also code of this realm. What the code changed before it was stopped stays changed, so nothing that it worked on may
 * be used again. Costs a watchdog thread (about 0.1 ms) a call. Errors of the code itself pass through.
 */
export function boundedCall<T>(code: () => T, timeoutMs: number): BoundedCall<T> {
  let outcome: BoundedCall<T> = { timedOut: true };
  slot.call = () => {
    outcome = { timedOut: false, value: code() };
  };
  try {
    script.runInContext(context, { timeout: timeoutMs });
    return outcome;
  } catch (error) {
    if (isTimeout(error)) return { timedOut: true };
    throw error;
  } finally {
    slot.call = () => undefined;
  }
}

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
