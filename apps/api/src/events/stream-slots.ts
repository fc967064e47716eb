import { ProblemError } from '../http/problem-error.js';

/** Event streams that one key may hold open at this process. */
const STREAMS_PER_KEY = 200;
const RETRY_MS = 5000;

/** Keeps one key from taking all sockets. */
export class StreamSlots {
  private readonly open = new Map<string, number>();

  /** Returns how to give the slot back. @throws ProblemError `too_many_requests` */
  take(keyId: string): () => void {
    const held = this.open.get(keyId) ?? 0;
    if (held >= STREAMS_PER_KEY) {
      throw new ProblemError(
        'too_many_requests',
        `This key holds ${held} event streams open. Close some, or ask again later.`,
        { retryAfterMs: RETRY_MS },
      );
    }
    this.open.set(keyId, held + 1);
    return () => {
      const left = (this.open.get(keyId) ?? 1) - 1;
      if (left === 0) this.open.delete(keyId);
      else this.open.set(keyId, left);
    };
  }
}
