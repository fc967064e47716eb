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
  /** 0 until the step is claimed. */
  readonly fence: number;
  readonly signal: AbortSignal;
  /** Claims a step that runs unclaimed; before anything of it is written. When somebody else has it, it is stopped, and its fence stays 0. */
  claim(): Promise<void>;
  /** Of a step that nobody claims: from now on it is not claimed any more. False: it is, or about to be. */
  stayUnclaimed(): boolean;
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
    return this.keep(stepRunId, runId, { fence, claim: () => Promise.resolve(), stayUnclaimed: () => false });
  }

  /** A step that nobody has claimed yet. `claimNow`: gives its fence, null when somebody else has it. */
  holdUnclaimed(stepRunId: string, runId: string, claimNow: () => Promise<number | null>): HeldStep {
    let claiming: Promise<void> | null = null;
    const claim = async (): Promise<void> => {
      const fence = await claimNow();
      if (fence === null) held.stop('fenced');
      else state.fence = fence;
    };
    const stayUnclaimed = (): boolean => {
      if (claiming !== null) return false;
      claiming = Promise.resolve();
      return true;
    };
    const state = { fence: 0, claim: () => (claiming ??= claim()), stayUnclaimed };
    const held = this.keep(stepRunId, runId, state);
    return held;
  }

  private keep(stepRunId: string, runId: string, state: Pick<HeldStep, 'fence' | 'claim' | 'stayUnclaimed'>): HeldStep {
    const controller = new AbortController();
    const held: HeldStep = {
      stepRunId,
      runId,
      get fence() {
        return state.fence;
      },
      claim: () => state.claim(),
      stayUnclaimed: () => state.stayUnclaimed(),
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
