import { setImmediate } from 'node:timers/promises';
import { createRedisBackend, type BackendFactory } from 'bullmq';
import type { Redis } from 'ioredis';
import { writeOnceATurn } from './one-write-a-turn.js';

type Backend = ReturnType<typeof createRedisBackend>;
type Look = Awaited<ReturnType<Backend['moveToActive']>>;

const NOTHING: Look = [];
/** A wake-up and an answer that come within this time may be of the same job. */
const SAME_MS = 5;
const OWED_LOOK_S = 0.02;

/**
 * BullMQ's Redis backend for a worker that does not look for a job where the one that has just ended brings it along (ADR 35).
 * Otherwise BullMQ waits for the answer of a look before it begins with what was brought, and looks three times for each step of a
 * chain that is alone.
 */
export const createWorkerBackend: BackendFactory<Backend> = (name, opts, extra) => {
  const backend = createRedisBackend(name, opts, extra);
  if (extra?.withBlockingConnection !== true) return backend;
  backend.client.then(
    (client) => writeOnceATurn(client as unknown as Redis),
    // The worker was closed before it was connected, which BullMQ reports.
    () => undefined,
  );
  const looks = new Looks();
  const look = backend.moveToActive.bind(backend);
  const wait = backend.waitForJob.bind(backend);
  const complete = backend.moveToCompleted.bind(backend);
  const fail = backend.moveToFailed.bind(backend);
  backend.waitForJob = (timeoutS) => looks.woken(wait(Math.min(timeoutS, looks.longestWaitS())));
  backend.moveToCompleted = (...args) => looks.ending(complete(...args));
  backend.moveToFailed = (...args) => looks.ending(fail(...args));
  backend.moveToActive = (token, worker) => looks.look(() => look(token, worker), NOTHING);
  return backend;
};

/**
 * Which looks into the queue another one stands for. A script that ends a job takes the next one, and when it finds one it sets the
 * marker, for which workers wait: whatever waits besides is found by whoever the marker wakes.
 * - A worker that has just got a job that way need not look at once: it will be woken.
 * - A wake-up of a wait that had begun before such a script was sent, and that comes about when its answer does, was for what the
 *   script has seen. Nearly always: they are two connections, and the script's own marker may have woken another process. So a look
 *   that was spared for this is made up for soon, if nothing else wakes the worker.
 */
export class Looks {
  private sent = 0;
  private last: Promise<unknown> = Promise.resolve();
  /** The last script that brought a job; 0: none. */
  private brought = 0;
  private isFresh = false;
  private broughtAtMs = Number.NEGATIVE_INFINITY;
  private owesLook = false;
  /** Scripts that were sent before the wait began that has just ended; null: the look does not follow a wait. */
  private sentBefore: number | null = null;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  longestWaitS(): number {
    return this.owesLook ? OWED_LOOK_S : Number.POSITIVE_INFINITY;
  }

  async woken<T>(waiting: Promise<T>): Promise<T> {
    const { sent } = this;
    try {
      return await waiting;
    } finally {
      this.sentBefore = sent;
    }
  }

  ending<T extends { result: unknown }>(script: Promise<T>): Promise<T> {
    const number = (this.sent += 1);
    const noted = script.then((answer) => {
      if (Array.isArray(answer.result) && Boolean(answer.result[0])) {
        this.brought = Math.max(this.brought, number);
        this.broughtAtMs = this.nowMs();
        this.isFresh = true;
      }
      return answer;
    });
    this.last = noted.catch(() => undefined);
    return noted;
  }

  /** What `ask` answers, or `nothing` where another look stands for this one. */
  async look<T>(ask: () => Promise<T>, nothing: T): Promise<T> {
    if (!(await this.isCovered())) {
      this.owesLook = false;
      return ask();
    }
    // The job that was brought goes first: its claim leaves before the worker waits again.
    await setImmediate();
    return nothing;
  }

  private async isCovered(): Promise<boolean> {
    const { sentBefore } = this;
    this.sentBefore = null;
    if (sentBefore === null) {
      const { isFresh } = this;
      this.isFresh = false;
      return isFresh;
    }
    if (this.sent > sentBefore) await this.last;
    this.owesLook = this.brought > sentBefore && this.nowMs() - this.broughtAtMs < SAME_MS;
    return this.owesLook;
  }
}
