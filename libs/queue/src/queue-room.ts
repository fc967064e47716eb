/** How long what was seen counts: other processes push too, each at most what it saw. */
const FRESH_MS = 1000;
/** After this it is asked anew on the side, as where half of it is gone, so that a busy process always knows. */
const STALE_MS = FRESH_MS / 2;

/** How much room this process believes the queue to have: what it saw last, less what it pushed and more what it took since. */
export class QueueRoom {
  private left = 0;
  private seen = 0;
  private seenAtMs = Number.NEGATIVE_INFINITY;
  private asking: Promise<number> | null = null;

  constructor(
    private readonly ask: () => Promise<number>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Never waits; at most `count`. */
  reserve(count: number): number {
    const ageMs = this.nowMs() - this.seenAtMs;
    if (ageMs >= FRESH_MS) return 0;
    const taken = Math.max(0, Math.min(count, this.left));
    this.left -= taken;
    // A queue that is away is told to whoever pushes; here it is not known then.
    if (ageMs >= STALE_MS || 2 * this.left < this.seen) this.room().catch(() => undefined);
    return taken;
  }

  /** A job left the queue, taken by this process. There is never more room than was seen: who else pushes is not known here. */
  jobTaken(): void {
    this.left = Math.min(this.left + 1, this.seen);
  }

  /** A place goes from a job to the one that follows it; less than none may be left until this process takes its next job. */
  handOn(): void {
    this.left -= 1;
  }

  /** Of several who ask at once one asks the queue. @throws what `ask` throws */
  room(): Promise<number> {
    this.asking ??= this.ask()
      .then((room) => {
        this.left = room;
        this.seen = room;
        this.seenAtMs = this.nowMs();
        return room;
      })
      .finally(() => {
        this.asking = null;
      });
    return this.asking;
  }
}
