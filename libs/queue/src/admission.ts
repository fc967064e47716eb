/** How long what was seen counts: other processes push too, each at most what it saw. */
const FRESH_MS = 1000;

/** How much room this process believes the queue to have: what it saw last, less what it took since. */
export class Admission {
  private left = 0;
  private seenAtMs = Number.NEGATIVE_INFINITY;
  private asking: Promise<number> | null = null;

  constructor(
    private readonly ask: () => Promise<number>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Never asks; at most `count`. */
  reserve(count: number): number {
    const taken = Math.min(count, this.known());
    this.left -= taken;
    return taken;
  }

  private known(): number {
    return this.nowMs() - this.seenAtMs < FRESH_MS ? this.left : 0;
  }

  /** Of several who ask at once one asks the queue. @throws what `ask` throws */
  room(): Promise<number> {
    this.asking ??= this.ask()
      .then((room) => {
        this.left = room;
        this.seenAtMs = this.nowMs();
        return room;
      })
      .finally(() => {
        this.asking = null;
      });
    return this.asking;
  }
}
