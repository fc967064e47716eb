import type { ModelLimiter, QueueEpoch, StepQueue, Wakeups } from '#libs/engine';
import type { QueueSettings } from './queue-settings.js';
import type { QueueHealth } from './queue-health.js';

/** Told about faults that nobody waits for: lost connections, lost wake-ups, listeners that throw. */
export type ReportFault = (what: string, error: unknown) => void;

/** What the workers can run at once, so that admission fills the queue to twice that and no further. */
export type WorkerCapacity = {
  /** Holds for 15 s: repeat it each 5 s. `jobs` is the worker's concurrency. */
  announce(workerId: string, jobs: number): Promise<void>;
  withdraw(workerId: string): Promise<void>;
};

export type QueueBackend = {
  kind: QueueSettings['kind'];
  queue: StepQueue;
  wakeups: Wakeups;
  epoch: QueueEpoch;
  limiter: ModelLimiter;
  capacity: WorkerCapacity;
  /** Whether jobs are safe there now; for readiness, and before a worker takes its first job. Never throws. */
  health(): Promise<QueueHealth>;
  /** Closes all connections; never waits for a server that is away longer than the command time-out. */
  close(): Promise<void>;
};
