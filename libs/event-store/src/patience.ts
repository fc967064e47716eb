import { RetryableError } from '#libs/domain';

export type PatienceLimits = {
  /** Bound of one operation as its caller sees it. */
  operationMs: number;
  /** An operation that takes longer raises the question whether the database still speaks at all. */
  suspectMs: number;
  /** How long the database has to answer that question. */
  probeMs: number;
};

type Waiting = { readonly sinceMs: number; readonly reject: (error: RetryableError) => void };

const LOOK_AGAIN_MS = 250;
/** What waits is looked at so many times before it becomes suspect. */
const GLANCES = 4;
/** A silence is that many turns of our own loop long: while the process stands still it hears nothing, which says nothing of the database. */
const TURNS = 10;

/**
 * Bounds operations as their callers see them. A database that is stopped (not gone) leaves sockets open and silent; no
 * time-out of the server fires then. So when an operation takes long, `probe` asks over a connection of its own: a server
 * that answers is only slow, and the operation has its whole time; one that is silent fails everything that waits, and
 * everything new at once, until it speaks again.
 */
export class Patience {
  /** In the order in which they began. */
  private readonly waiting = new Set<Waiting>();
  /** One for all that waits: most answers come before its first turn. */
  private glance: NodeJS.Timeout | undefined;
  private answeredAtMs = -Infinity;
  private isSilent = false;
  private isLooking = false;
  private isClosed = false;

  constructor(
    private readonly limits: PatienceLimits,
    /** Any answer, also an error, is one. The signal ends a probe that nobody waits for any more. */
    private readonly probe: (signal: AbortSignal) => Promise<unknown>,
  ) {}

  /** Driver errors go through unchanged. @throws RetryableError `database_unavailable` */
  within<T>(operation: () => PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.isSilent) throw unavailable('the database is silent', 'silence');
      const answer = operation();
      const one = { sinceMs: performance.now(), reject };
      this.waiting.add(one);
      const { suspectMs, operationMs } = this.limits;
      this.glance ??= setInterval(() => this.lookAround(), Math.min(suspectMs, operationMs) / GLANCES);
      answer.then(
        (value) => {
          this.waiting.delete(one);
          resolve(value);
        },
        (error: unknown) => {
          this.waiting.delete(one);
          reject(error);
        },
      );
    });
  }

  close(): void {
    this.isClosed = true;
    if (this.waiting.size === 0) this.rest();
  }

  private rest(): void {
    clearInterval(this.glance);
    this.glance = undefined;
  }

  private lookAround(): void {
    const { operationMs, suspectMs } = this.limits;
    const nowMs = performance.now();
    const [oldest] = this.waiting;
    if (oldest === undefined) return this.rest();
    if (nowMs - Math.max(oldest.sinceMs, this.answeredAtMs) >= suspectMs) void this.look();
    for (const one of this.waiting) {
      if (nowMs - one.sinceMs < operationMs) return;
      this.giveUp(one, unavailable(`the database did not answer within ${operationMs} ms`, 'timeout'));
    }
  }

  private giveUp(one: Waiting, error: RetryableError): void {
    this.waiting.delete(one);
    one.reject(error);
  }

  private async look(): Promise<void> {
    if (this.isLooking || this.isClosed) return;
    this.isLooking = true;
    while (!(await this.answers()) && !this.isClosed) {
      this.isSilent = true;
      const error = unavailable(`the database has been silent for ${this.limits.probeMs} ms`, 'silence');
      for (const one of this.waiting) this.giveUp(one, error);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    this.isSilent = false;
    this.isLooking = false;
    this.answeredAtMs = performance.now();
  }

  private async answers(): Promise<boolean> {
    let turns = 0;
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<false>((resolve) => {
      timer = setInterval(() => (turns += 1) === TURNS && resolve(false), this.limits.probeMs / TURNS);
    });
    const ended = new AbortController();
    const answer = this.probe(ended.signal).then(
      () => true,
      () => true,
    );
    try {
      return await Promise.race([answer, silence]);
    } finally {
      clearInterval(timer);
      ended.abort();
    }
  }
}

function unavailable(message: string, reason: 'silence' | 'timeout'): RetryableError {
  return new RetryableError('database_unavailable', message, { reason });
}
