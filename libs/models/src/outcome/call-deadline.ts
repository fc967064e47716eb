import type { ModelCall } from '#libs/engine';
import { modelFailure, type ModelFailure } from './model-failure.js';

type EndedBy = 'aborted' | 'timeout_idle' | 'timeout_total';

/** Timers beyond it fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The caller's signal and our own two timeouts as one signal. `idle` counts from the start and from each `touch`
 * (bytes arrived), `total` from the start: clients' own timeouts do not cover a body that stalls.
 * Invariant: `endedBy` is set before `signal` aborts, so whoever sees the abort can ask why.
 */
export class CallDeadline {
  private readonly controller = new AbortController();
  private readonly totalTimer: NodeJS.Timeout;
  private readonly idleTimer: NodeJS.Timeout;
  private endedBy: EndedBy | null = null;
  private readonly onAbort = (): void => this.stop('aborted');

  constructor(private readonly call: Pick<ModelCall, 'signal' | 'idleTimeoutMs' | 'totalTimeoutMs'>) {
    this.totalTimer = setTimeout(() => this.stop('timeout_total'), Math.min(call.totalTimeoutMs, MAX_TIMER_MS));
    this.idleTimer = setTimeout(() => this.stop('timeout_idle'), Math.min(call.idleTimeoutMs, MAX_TIMER_MS));
    if (call.signal.aborted) this.stop('aborted');
    else call.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Something arrived: the idle time starts again. */
  touch(): void {
    if (this.endedBy === null) this.idleTimer.refresh();
  }

  /** Always call it, also after a failure: timers and listeners go. */
  dispose(): void {
    clearTimeout(this.totalTimer);
    clearTimeout(this.idleTimer);
    this.call.signal.removeEventListener('abort', this.onAbort);
  }

  /** The failure that this deadline caused, or null when it caused none. */
  failure(received: Parameters<typeof modelFailure>[2] = {}): ModelFailure | null {
    switch (this.endedBy) {
      case null:
        return null;
      case 'aborted':
        return modelFailure('aborted', 'The call was cancelled.', received);
      case 'timeout_idle':
        return modelFailure('timeout_idle', `The model sent nothing for ${this.call.idleTimeoutMs} ms.`, received);
      case 'timeout_total':
        return modelFailure(
          'timeout_total',
          `The model did not end its answer within ${this.call.totalTimeoutMs} ms.`,
          received,
        );
    }
  }

  private stop(by: EndedBy): void {
    if (this.endedBy !== null) return;
    this.endedBy = by;
    this.dispose();
    this.controller.abort();
  }
}
