import { Gauge, type Registry } from 'prom-client';
import { startLoop, type EngineDeps, type EngineLoops, type Loop, type Turning } from '#libs/engine';
import type { JobIntake } from '#libs/queue';
import type { Gate } from './gate.js';

export type Watchdog = Turning & {
  /** What of this process has stopped, as sentences; empty: it makes progress. For `/health/live`. */
  stalls(): string[];
};

export type WatchdogOptions = {
  stallMs: number;
  loops: Pick<EngineLoops, 'overdue'>;
  /** Null: the process takes no jobs. */
  consumer: WatchedConsumer | null;
  logger: EngineDeps['logger'];
  registry: Registry;
};

export type WatchedConsumer = {
  intake: Pick<JobIntake, 'idleMs' | 'renew'>;
  gate: Pick<Gate, 'state'>;
  /** Whether a job has waited in the queue for longer than this. */
  hasWaiting: (olderThanMs: number) => Promise<boolean>;
  /** Whether the queue answers. */
  isQueueThere: () => Promise<boolean>;
};

/**
 * Notices that this process has stopped by itself while everything around it works (rows C2, G7): a loop that does not turn,
 * or a consumer with room that takes nothing although jobs wait in a queue that answers. Such a consumer is made anew once;
 * what stays is said by `stalls`, so that the orchestrator starts the process again. A loop that turns and fails each time is
 * no stall: its database or queue is away, and starting again would not help.
 */
export function startWatchdog({ stallMs, loops, logger, registry, ...watched }: WatchdogOptions): Watchdog {
  const consumer = watched.consumer === null ? null : new Consumer(watched.consumer, stallMs, logger);
  const stalls = (): string[] => {
    const silent = [...loops.overdue(), { name: own.name, ms: own.overdueMs() }].filter(({ ms }) => ms > stallMs);
    const sentences = silent.map(({ name, ms }) => `the loop ${name} has not turned for ${Math.round(ms / 1000)} s`);
    return [...sentences, ...(consumer?.stalls() ?? [])];
  };
  let isSaid = false;
  const turn = async (): Promise<false> => {
    await consumer?.look();
    const found = stalls();
    if (found.length > 0 && !isSaid) logger.error({ stalls: found }, 'this process makes no progress any more');
    isSaid = found.length > 0;
    return false;
  };
  // Last: the first turn begins at once.
  const own: Loop = startLoop({ name: 'watchdog', everyMs: stallMs / 4, turn }, logger);
  new Gauge({
    name: 'weir_process_stalls',
    help: 'Loops and consumers of this process that have stopped; above 0 `/health/live` answers 503.',
    registers: [registry],
    collect() {
      this.set(stalls().length);
    },
  });
  return { stalls, stop: (timeoutMs) => own.stop(timeoutMs) };
}

class Consumer {
  private renewedAt: number | null = null;
  private isStalled = false;

  constructor(
    private readonly watched: WatchedConsumer,
    private readonly stallMs: number,
    private readonly logger: EngineDeps['logger'],
  ) {}

  stalls(): string[] {
    if (!this.isStalled) return [];
    return ['the consumer takes no jobs although some wait in the queue, and making it anew did not help'];
  }

  async look(): Promise<void> {
    const { intake } = this.watched;
    if (!(await this.isIdleForNothing())) {
      this.renewedAt = null;
      this.isStalled = false;
    } else if (this.renewedAt === null) {
      this.renewedAt = performance.now();
      this.logger.error(
        { idle_ms: Math.round(intake.idleMs()) },
        'the consumer takes no jobs although some wait; it is made anew',
      );
      intake.renew();
    } else this.isStalled = performance.now() - this.renewedAt > this.stallMs;
  }

  private async isIdleForNothing(): Promise<boolean> {
    const { intake, gate, hasWaiting, isQueueThere } = this.watched;
    if (!gate.state().open || intake.idleMs() < this.stallMs) return false;
    return (await hasWaiting(this.stallMs)) && (await isQueueThere());
  }
}
