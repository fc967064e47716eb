/**
 * Whether more is runnable than the queue takes, as this process saw it last. While so, what has just become runnable takes
 * its turn among what waits, instead of being pushed past it.
 */
export class Admission {
  /** What waits is not known before the relay has looked. */
  private crowded = true;
  private refill: () => void = () => undefined;

  get isCrowded(): boolean {
    return this.crowded;
  }

  /** The queue was full, or what waited was taken: `left` tells whether there may be more. */
  note(left: boolean): void {
    this.crowded = left;
  }

  /** Another process left more to wait than the queue takes. */
  noteCrowd(): void {
    if (this.crowded) return;
    this.crowded = true;
    this.refill();
  }

  /** `refill`: brings what waits into the queue; may be called often. */
  onRoom(refill: () => void): void {
    this.refill = refill;
  }

  /** A job left the queue. While others wait for its place, they get it now and not when the relay looks by itself. */
  jobTaken(): void {
    if (this.crowded) this.refill();
  }
}
