import { AppError } from '../../libs/domain/src/index.js';
import {
  runCompactionJob,
  runStepJob,
  type CompactionJob,
  type EngineDeps,
  type ModelLimiter,
  type StepJob,
  type StepQueue,
  type WebhookSender,
  type Wakeups,
  type QueueEpoch,
} from '../../libs/engine/src/index.js';

/**
 * A queue in this process for tests of the engine: jobs wait until `drain` runs them, one after the other or all at once.
 * Everything else of the engine is real.
 */
export class InMemoryQueue implements StepQueue {
  readonly steps: StepJob[] = [];
  readonly compactions: CompactionJob[] = [];
  /** Throws instead of taking jobs. */
  isAway = false;
  /** How many jobs wait in it at most. */
  capacity = 1_000;

  room(): Promise<number> {
    if (this.isAway) return Promise.reject(new Error('the queue is away'));
    return Promise.resolve(Math.max(0, this.capacity - this.steps.length));
  }

  reserve(count: number): number {
    return this.isAway ? 0 : Math.max(0, Math.min(count, this.capacity - this.steps.length));
  }

  /** Of the workers that a test means to be there. */
  workers: number | null = 20;

  jobsAtOnce(): Promise<number | null> {
    if (this.isAway) return Promise.reject(new AppError('queue_unavailable', 'the queue is away'));
    return Promise.resolve(this.workers);
  }

  /** Its room is counted. */
  jobTaken(): void {}

  handOn(): void {}

  push(jobs: readonly StepJob[]): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('the queue is away'));
    this.steps.push(...jobs);
    return Promise.resolve();
  }

  findMissing(
    jobs: readonly { stepRunId: string; dispatchNo: number }[],
  ): Promise<{ stepRunId: string; dispatchNo: number }[]> {
    return Promise.resolve(
      jobs.filter(
        (job) =>
          !this.steps.some((queued) => queued.stepRunId === job.stepRunId && queued.dispatchNo === job.dispatchNo),
      ),
    );
  }

  pushCompactions(jobs: readonly CompactionJob[]): Promise<void> {
    this.compactions.push(...jobs);
    return Promise.resolve();
  }

  findMissingCompactions(jobs: readonly CompactionJob[]): Promise<CompactionJob[]> {
    return Promise.resolve(
      jobs.filter(
        (job) =>
          !this.compactions.some(
            (queued) => queued.compactionId === job.compactionId && queued.dispatchNo === job.dispatchNo,
          ),
      ),
    );
  }

  /** Runs these jobs side by side, as on several workers. */
  async run(deps: EngineDeps, jobs: readonly StepJob[]): Promise<void> {
    await Promise.all(jobs.map((job) => runStepJob(deps, job)));
  }

  /** Runs jobs until none is left. Steps of one round run side by side, as on several workers. */
  async drain(deps: EngineDeps, options: { compactions?: boolean } = {}): Promise<void> {
    while (this.steps.length > 0 || (options.compactions !== false && this.compactions.length > 0)) {
      const steps = this.steps.splice(0).map((job) => runStepJob(deps, job));
      const compactions =
        options.compactions === false ? [] : this.compactions.splice(0).map((job) => runCompactionJob(deps, job));
      await Promise.all([...steps, ...compactions]);
    }
  }
}

/** Wake-ups that reach nobody: what the engine does must not depend on them. */
export const silentWakeups: Wakeups = {
  publishCancel: () => Promise.resolve(),
  onCancel: () => undefined,
  publishProgress: () => Promise.resolve(),
  onProgress: () => undefined,
  publishCrowded: () => Promise.resolve(),
  onCrowded: () => undefined,
  publishDelta: () => Promise.resolve(),
  onDelta: () => undefined,
  announceListener: () => Promise.resolve(),
  hasListener: () => Promise.resolve(false),
};

export function inMemoryEpoch(): QueueEpoch {
  let epoch: string | null = null;
  return {
    read: () => Promise.resolve(epoch),
    write: (value) => {
      epoch = value;
      return Promise.resolve();
    },
  };
}

/** Everything is granted. */
export const noLimiter: ModelLimiter = {
  reserve: ({ limits, tokens }) =>
    Promise.resolve({ kind: 'granted', reservation: { id: 'granted', limits, tokens, grantedAtMs: 0 } }),
  settle: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** No endpoint answers. */
export const noWebhooks: WebhookSender = {
  refusal: () => Promise.resolve(null),
  post: () => Promise.resolve({ kind: 'unreachable', detail: 'no webhooks in this test' }),
};
