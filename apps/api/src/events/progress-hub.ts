import type { Wakeups } from '#libs/engine';

export type Delta = Parameters<Parameters<Wakeups['onDelta']>[0]>[0];

export type ProgressListener = {
  readonly onProgress: () => void;
  readonly onDelta?: (delta: Delta) => void;
};

/**
 * The process' one ear for wake-ups, and who of its event streams and waits is to be woken. Wake-ups may get lost:
 * every listener also polls.
 */
export class ProgressHub {
  private readonly listeners = new Map<string, Set<ProgressListener>>();

  constructor(wakeups: Pick<Wakeups, 'onProgress' | 'onDelta'>) {
    wakeups.onProgress((runId) => this.listeners.get(runId)?.forEach((listener) => listener.onProgress()));
    wakeups.onDelta((delta) => this.listeners.get(delta.runId)?.forEach((listener) => listener.onDelta?.(delta)));
  }

  /** Returns how to stop listening. */
  listen(runId: string, listener: ProgressListener): () => void {
    const ofRun = this.listeners.get(runId) ?? new Set();
    this.listeners.set(runId, ofRun);
    ofRun.add(listener);
    return () => {
      ofRun.delete(listener);
      if (ofRun.size === 0 && this.listeners.get(runId) === ofRun) this.listeners.delete(runId);
    };
  }
}
