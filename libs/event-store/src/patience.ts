import { RetryableError } from '#libs/domain';

export type PatienceLimits = {
  /** Bound of one operation as its caller sees it. */
  operationMs: number;
  /** An operation that takes longer raises the question whether the database still speaks at all. */
  suspectMs: number;
  /** How long the database has to answer that question. */
  probeMs: number;
};

const LOOK_AGAIN_MS = 250;
/** A silence is that many turns of our own loop long: while the process stands still it hears nothing, which says nothing of the database. */
const TURNS = 10;

/**
 * Bounds operations as their callers see them. A database that is stopped (not gone) leaves sockets open and silent; no
 * time-out of the server fires then. So when an operation takes long, `probe` asks over a connection of its own: a server
 * that answers is only slow, and the operation has its whole time; one that is silent fails everything that waits, and
 * everything new at once, until it speaks again.
 */
export class Patience {
  private readonly waiting = new Set<(error: RetryableError) => void>();
  private isSilent = false;
  private isLooking = false;
  private isClosed = false;

  constructor(
    private readonly limits: PatienceLimits,
    /** Any answer, also an error, is one. The signal ends a probe that nobody waits for any more. */
    private readonly probe: (signal: AbortSignal) => Promise<unknown>,
  ) {}

  /** Driver errors go through unchanged. @throws RetryableError `database_unavailable` */
  async within<T>(operation: () => PromiseLike<T>): Promise<T> {
    if (this.isSilent) throw unavailable('the database is silent', 'silence');
    const { operationMs, suspectMs } = this.limits;
    let giveUp: (error: RetryableError) => void = () => undefined;
    const given = new Promise<never>((_resolve, reject) => (giveUp = reject));
    const timer = setTimeout(
      () => giveUp(unavailable(`the database did not answer within ${operationMs} ms`, 'timeout')),
      operationMs,
    );
    const suspicion = setInterval(() => void this.look(), suspectMs);
    this.waiting.add(giveUp);
    try {
      return await Promise.race([operation(), given]);
    } finally {
      clearTimeout(timer);
      clearInterval(suspicion);
      this.waiting.delete(giveUp);
    }
  }

  close(): void {
    this.isClosed = true;
  }

  private async look(): Promise<void> {
    if (this.isLooking || this.isClosed) return;
    this.isLooking = true;
    while (!(await this.answers()) && !this.isClosed) {
      this.isSilent = true;
      const error = unavailable(`the database has been silent for ${this.limits.probeMs} ms`, 'silence');
      for (const giveUp of this.waiting) giveUp(error);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    this.isSilent = false;
    this.isLooking = false;
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
