import type { ToolOutcome } from '#libs/engine';
import { toolError } from './results/tool-error.js';

/** Timers beyond it fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs a tool under its time limit. Ends when the limit or the caller's signal says so, even if the tool does not listen.
 * What the tool throws before that passes through: it is a bug.
 */
export async function withTimeLimit(
  timeoutMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  if (signal.aborted) return cancelled;
  const lost = new AbortController();
  let release = (): void => undefined;
  const stopped = new Promise<ToolOutcome>((resolve) => {
    const end = (outcome: ToolOutcome): void => {
      resolve(outcome);
      lost.abort();
    };
    const timer = setTimeout(() => end(tooLate(timeoutMs)), Math.min(timeoutMs, MAX_TIMER_MS));
    const onAbort = (): void => end(cancelled);
    signal.addEventListener('abort', onAbort, { once: true });
    release = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([stopped, run(lost.signal)]);
  } finally {
    release();
  }
}

const cancelled: ToolOutcome = {
  status: 'cancelled',
  content: '[cancelled] The run was cancelled while the tool was running.',
};

function tooLate(timeoutMs: number): ToolOutcome {
  return toolError(`the tool did not answer within ${timeoutMs / 1000} s. It may have taken effect all the same.`, {
    retryable: true,
    mayHaveTakenEffect: true,
  });
}
