/** Why a running step must stop. `fenced`: another worker has it, so nothing may be written any more. */
export type StopReason = 'cancelled' | 'timed_out' | 'fenced' | 'shutdown';

/** Abort signals carry this as their reason. */
export class StepStop extends Error {
  override readonly name = 'StepStop';

  constructor(readonly stopReason: StopReason) {
    super(`the step must stop: ${stopReason}`);
  }
}

export type HeldStep = {
  readonly stepRunId: string;
  readonly runId: string;
  readonly fence: number;
  readonly signal: AbortSignal;
  /** Set when the process drains: go no further than the next turn boundary. */
  readonly isDraining: () => boolean;
  stop(reason: StopReason): void;
};

/** The steps that this process runs now: heartbeats renew them, cancels and shutdowns reach them here. */
export class HeldSteps {
  private readonly steps = new Map<string, HeldStep>();
  private draining = false;
  private readonly idleWaiters: (() => void)[] = [];

  hold(stepRunId: string, runId: string, fence: number): HeldStep {
    const controller = new AbortController();
    const held: HeldStep = {
      stepRunId,
      runId,
      fence,
      signal: controller.signal,
      isDraining: () => this.draining,
      stop: (reason) => {
        if (!controller.signal.aborted) controller.abort(new StepStop(reason));
      },
    };
    this.steps.set(stepRunId, held);
    return held;
  }

  release(held: HeldStep): void {
    if (this.steps.get(held.stepRunId) === held) this.steps.delete(held.stepRunId);
    if (this.steps.size === 0) for (const resolve of this.idleWaiters.splice(0)) resolve();
  }

  all(): HeldStep[] {
    return [...this.steps.values()];
  }

  isDraining(): boolean {
    return this.draining;
  }

  stopRun(runId: string, reason: StopReason): void {
    for (const held of this.all()) if (held.runId === runId) held.stop(reason);
  }

  stopStep(stepRunId: string, reason: StopReason): void {
    this.steps.get(stepRunId)?.stop(reason);
  }

  /** From now on no step goes past its next turn boundary. */
  drain(): void {
    this.draining = true;
  }

  stopAll(reason: StopReason): void {
    for (const held of this.all()) held.stop(reason);
  }

  /** Resolves when no step runs any more. */
  whenIdle(): Promise<void> {
    return this.steps.size === 0 ? Promise.resolve() : new Promise((resolve) => this.idleWaiters.push(resolve));
  }
}

/** The reason behind an aborted signal, when it is one of ours. */
export function stopReasonOf(signal: AbortSignal): StopReason | null {
  return signal.aborted && signal.reason instanceof StepStop ? signal.reason.stopReason : null;
}
