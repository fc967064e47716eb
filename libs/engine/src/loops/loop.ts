import type { EngineLogger } from '../engine-deps.js';

export type LoopWork = {
  name: string;
  everyMs: number;
  /** One turn. `true`: there is more to do, the next turn follows at once. The signal aborts when the loop stops. */
  turn: (signal: AbortSignal) => Promise<boolean>;
};

/** What turns beside a process's work until it is stopped. */
export type Turning = {
  /**
   * No turn begins any more. Resolves when those under way have ended, at the latest after `timeoutMs`, with the names of
   * the loops whose turn has not.
   */
  stop(timeoutMs: number): Promise<string[]>;
};

export type Loop = Turning & {
  name: string;
  /** The next turn begins now, or right after the one that is under way. */
  wake(): void;
  /** For how long a turn should have ended since: it hangs, or its timer was lost. 0: it turns, or was stopped. */
  overdueMs(): number;
};

/** While a fault lasts, one line a minute is enough. */
const LOG_FAULT_EVERY_MS = 60_000;

/** Stops all at once. Rejects, with their names, when turns have not ended after `timeoutMs`. */
export async function stopTurning(all: readonly Turning[], timeoutMs: number): Promise<void> {
  const late = (await Promise.all(all.map((one) => one.stop(timeoutMs)))).flat();
  if (late.length > 0) throw new Error(`still in a turn ${timeoutMs} ms after the stop: ${late.join(', ')}`);
}

/** Runs turns one after the other until stopped. Nothing that a turn throws stops it. */
export function startLoop(work: LoopWork, logger: EngineLogger): Loop {
  const controller = new AbortController();
  const pause = new Pause();
  const faults = new FaultLog(work.name, logger);
  let turnedAt = performance.now();
  const run = async (): Promise<void> => {
    while (!controller.signal.aborted) {
      const more = await oneTurn(work, controller.signal, faults);
      turnedAt = performance.now();
      if (!more) await pause.wait(work.everyMs);
    }
  };
  const ended = run();
  return {
    name: work.name,
    wake: () => pause.end(),
    stop: async (timeoutMs) => {
      controller.abort(new Error(`the loop ${work.name} stops`));
      pause.end();
      return (await endedWithin(ended, timeoutMs)) ? [] : [work.name];
    },
    overdueMs: () => (controller.signal.aborted ? 0 : Math.max(0, performance.now() - turnedAt - work.everyMs)),
  };
}

async function oneTurn(work: LoopWork, signal: AbortSignal, faults: FaultLog): Promise<boolean> {
  try {
    const more = await work.turn(signal);
    faults.over();
    return more;
  } catch (error) {
    if (!signal.aborted) faults.note(error);
    return false;
  }
}

/** A wait that can be cut short; a call of `end` outside of a wait cuts the next one short. */
class Pause {
  private endNow: (() => void) | null = null;
  private isEnded = false;

  async wait(ms: number): Promise<void> {
    if (!this.isEnded) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.endNow = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.endNow = null;
    this.isEnded = false;
  }

  end(): void {
    this.isEnded = true;
    this.endNow?.();
  }
}

class FaultLog {
  private since: number | null = null;
  private loggedAt = 0;

  constructor(
    private readonly loop: string,
    private readonly logger: EngineLogger,
  ) {}

  note(error: unknown): void {
    const now = performance.now();
    this.since ??= now;
    if (this.since !== now && now - this.loggedAt < LOG_FAULT_EVERY_MS) return;
    this.loggedAt = now;
    this.logger.warn({ loop: this.loop, error: String(error) }, 'a turn failed; the next one tries again');
  }

  over(): void {
    if (this.since !== null)
      this.logger.info(
        { loop: this.loop, lasted_ms: Math.round(performance.now() - this.since) },
        'the loop works again',
      );
    this.since = null;
  }
}

async function endedWithin(ended: Promise<void>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const inTime = await Promise.race([ended.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
