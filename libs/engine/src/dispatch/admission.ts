/**
 * Whether more is runnable than the queue takes, as this process saw it last. While so, what has just become runnable takes
 * its turn among what waits, instead of being pushed past it.
 */
export class Admission {
  /** What waits is not known before the relay has looked. */
  private crowded = true;

  get isCrowded(): boolean {
    return this.crowded;
  }

  /** The queue was full, or what waited was taken: `left` tells whether there may be more. */
  note(left: boolean): void {
    this.crowded = left;
  }
}
