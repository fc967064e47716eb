import type { HeldStep } from '../claim/held-steps.js';
import { workerBytes } from '../claim/worker-bytes.js';
import type { EngineDeps } from '../engine-deps.js';
import type { StepLease, StepRunRecord } from '../ports/run-records.port.js';
import type { Claimed } from '../ports/run-store.port.js';

export const leaseOf = ({ settings: { workerId, leaseMs } }: EngineDeps): StepLease => ({
  ...{ workerId, leaseMs, workerBytes: workerBytes() },
});

/** A step that this worker runs: what it knows of it, and what it holds it by. Whoever makes one must `release` it. */
export class HeldClaim {
  readonly held: HeldStep;
  /** As the claim gave it; of a step that is not claimed, as this process wrote it. */
  claimed: Claimed;
  private timeout: NodeJS.Timeout | undefined;
  private isReleased = false;

  constructor(
    private readonly deps: EngineDeps,
    claimed: Claimed,
  ) {
    const { step, run } = claimed;
    this.claimed = claimed;
    this.held =
      step.status === 'queued'
        ? deps.held.holdUnclaimed(step.stepRunId, run.runId, () => this.claimNow())
        : deps.held.hold(step.stepRunId, run.runId, step.fence);
    this.timeout = this.stepTimer();
  }

  release(): void {
    this.isReleased = true;
    clearTimeout(this.timeout);
    this.deps.held.release(this.held);
  }

  private async claimNow(): Promise<number | null> {
    const { stepRunId, dispatchNo } = this.claimed.step;
    const claimed = await this.deps.runs.claimStep({ stepRunId, dispatchNo, ...leaseOf(this.deps) });
    if (claimed === null) return null;
    this.claimed = claimed;
    // A step that a fault has ended while it was being claimed comes back with its lease.
    if (!this.isReleased) this.timeout = this.stepTimer();
    return claimed.step.fence;
  }

  private stepTimer(): NodeJS.Timeout | undefined {
    const leftMs = timeLeftMs(this.claimed.step, this.deps.settings.leaseMs);
    return leftMs === null ? undefined : setTimeout(() => this.held.stop('timed_out'), Math.min(leftMs, 2 ** 31 - 1));
  }
}

/**
 * For the process' own timer; the sweeper enforces the same time when this process is gone. The claim has just set the lease, so
 * the database's time is known from it: the process' own clock may be wrong by minutes. Null: no time-out, or not claimed.
 */
function timeLeftMs({ timeoutAt, leaseUntil }: StepRunRecord, leaseMs: number): number | null {
  if (timeoutAt === null || leaseUntil === null) return null;
  const claimedAt = Date.parse(leaseUntil) - leaseMs;
  return Math.max(Date.parse(timeoutAt) - claimedAt, 0);
}
