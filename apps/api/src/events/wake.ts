/** A bell that remembers: a ring while nobody waits ends the next wait at once. */
export class Wake {
  private rung = false;
  private waiter: (() => void) | null = null;

  ring(): void {
    this.rung = true;
    this.waiter?.();
  }

  /** Returns when rung, after `timeoutMs`, or when the signal aborts. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (!this.rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          this.waiter = null;
          resolve();
        };
        const timer = setTimeout(done, timeoutMs);
        signal.addEventListener('abort', done);
        this.waiter = done;
      });
    }
    this.rung = false;
  }
}
