import type { QueueEpoch, StepQueue, Wakeups } from '#libs/engine';
import { createPostgresQueueBackend } from './postgres/postgres-backend.js';
import type { QueueSettings } from './queue-settings.js';
import { createRedisQueueBackend } from './redis/redis-backend.js';

/** Told about faults that nobody waits for: lost connections, lost wake-ups, listeners that throw. */
export type ReportFault = (what: string, error: unknown) => void;

export type QueueHealth = { ok: true; detail: string } | { ok: false; code: 'queue_unreachable' | 'redis_evicts_keys' | 'redis_too_old'; detail: string };

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
  capacity: WorkerCapacity;
  /** Whether jobs are safe there now; for readiness, and before a worker takes its first job. Never throws. */
  health(): Promise<QueueHealth>;
  /** Closes all connections; never waits for a server that is away longer than the command time-out. */
  close(): Promise<void>;
};

/**
 * Redis may be away when this returns: pushes then fail at once, rows stay undispatched, and all goes on by itself
 * when it is back. Postgres must be there (it holds the runs too).
 * @throws AppError `invalid_queue_settings`
 */
export async function createQueueBackend(settings: QueueSettings, reportFault: ReportFault): Promise<QueueBackend> {
  switch (settings.kind) {
    case 'redis':
      return createRedisQueueBackend(settings, reportFault);
    case 'postgres':
      return createPostgresQueueBackend(settings, reportFault);
  }
}
