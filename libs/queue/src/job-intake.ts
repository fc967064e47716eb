import type { WorkerOptions } from 'bullmq';
import type { ReportFault } from './queue-backend.js';

/**
 * Options of the BullMQ worker behind a processor. `jobs`: how many run at once; `leaseMs`: that of a claimed step; `sweepMs`: how
 * often what got lost is looked for.
 */
export type IntakeSettings = { jobs: number; leaseMs: number; sweepMs: number; workerName: string };

/**
 * BullMQ's locks decide nothing here (the claim in Postgres does), so a job whose lock ran out is only put back for
 * workers that died between taking a job and claiming its step (or while they ran one that they need not claim, ADR 37):
 * as soon as a lost lease would be found. When the step is claimed already, the second delivery ends quietly. Never
 * failed for it: `maxStalledCount` is out of reach.
 */
export function workerOptions({
  jobs,
  leaseMs,
  sweepMs,
  workerName,
}: IntakeSettings): Omit<WorkerOptions, 'connection'> {
  return {
    name: workerName,
    autorun: false,
    concurrency: jobs,
    lockDuration: leaseMs,
    stalledInterval: sweepMs,
    maxStalledCount: 1_000_000,
    // Back soon after a server's return; BullMQ's own values leave a worker idle for up to 15 s.
    runRetryDelay: 1000,
    drainDelay: 2,
  };
}

/** What is used of a BullMQ worker. */
type IntakeWorker = {
  run(): Promise<void>;
  pause(doNotWaitActive: boolean): Promise<void>;
  close(): Promise<void>;
  isRunning(): boolean;
  isPaused(): boolean;
  /** How many jobs at once. */
  readonly concurrency: number;
  getBackend(): { disconnectBlocking(wait?: boolean): Promise<void>; disconnect(): Promise<void> };
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'active' | 'completed', listener: () => void): unknown;
  on(event: 'failed', listener: (job: { id?: string } | undefined, error: Error) => void): unknown;
};

export type JobIntake = {
  start(): void;
  /** True between `start` and `stop`. */
  isTaking(): boolean;
  /** For how long it has had room for a job and taken none; 0 before `start` and after `stop`. */
  idleMs(): number;
  /** Takes jobs with a new worker of the queue from now on; jobs of the one before end by themselves. */
  renew(): void;
  /** No job is taken from now on; those that run go on. */
  stop(): Promise<void>;
  /**
   * After the last job ended: tells the queue and closes the connections. With the server away it gives up after a
   * second; the queue then delivers those jobs once more, which changes nothing.
   */
  close(): Promise<void>;
};

/** `open` makes a worker of the queue; it is called again by `renew`. */
export function createJobIntake(
  open: () => IntakeWorker,
  reportFault: ReportFault,
  onEnded: (outcome: 'done' | 'threw') => void,
): JobIntake {
  const activity = new Activity();
  const opened = (): IntakeWorker => observed(open(), activity, reportFault, onEnded);
  let worker = opened();
  let phase: 'new' | 'taking' | 'stopped' = 'new';
  const run = (): void => {
    worker.run().catch((error: unknown) => reportFault('the worker of the queue ended', error));
  };
  return {
    start: () => {
      phase = 'taking';
      activity.note(0);
      run();
    },
    isTaking: () => worker.isRunning() && !worker.isPaused(),
    idleMs: () => (phase === 'taking' && activity.active < worker.concurrency ? activity.quietMs() : 0),
    renew: () => {
      if (phase !== 'taking') return;
      const former = worker;
      worker = opened();
      run();
      closeWorker(former, reportFault).catch((error: unknown) => reportFault('the former worker did not close', error));
    },
    stop: async () => {
      phase = 'stopped';
      await worker.pause(true);
      // A wait for the next job that began before the pause would still take one, so it is cut short.
      if (worker.isRunning()) await worker.getBackend().disconnectBlocking(false);
    },
    close: () => closeWorker(worker, reportFault),
  };
}

/** Jobs under way, and when the last one began or ended. */
class Activity {
  active = 0;
  private changedAt = performance.now();

  note(change: number): void {
    this.active = Math.max(0, this.active + change);
    this.changedAt = performance.now();
  }

  quietMs(): number {
    return performance.now() - this.changedAt;
  }
}

function observed(
  worker: IntakeWorker,
  activity: Activity,
  reportFault: ReportFault,
  onEnded: (outcome: 'done' | 'threw') => void,
): IntakeWorker {
  worker.on('error', (error) => reportFault('the worker of the queue failed', error));
  worker.on('active', () => activity.note(1));
  worker.on('completed', () => {
    activity.note(-1);
    onEnded('done');
  });
  worker.on('failed', (job, error) => {
    activity.note(-1);
    onEnded('threw');
    reportFault(`the job ${job?.id ?? '?'} threw; its step comes back when its lease has run out`, error);
  });
  return worker;
}

const CLOSE_MS = 1000;

async function closeWorker(worker: IntakeWorker, reportFault: ReportFault): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), CLOSE_MS);
  });
  const closed = worker.close().then(() => 'closed' as const);
  const outcome = await Promise.race([closed, late]);
  clearTimeout(timer);
  if (outcome === 'closed') return;
  const ignored = (error: unknown): void => reportFault('the connection of the worker was cut', error);
  closed.catch(ignored);
  worker.getBackend().disconnect().catch(ignored);
}
