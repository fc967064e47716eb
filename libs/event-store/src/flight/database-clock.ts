/** Clocks drift apart slowly; a process' own may also be set anew. */
const TRUSTED_MS = 10_000;

/**
 * The database's clock as far as it is known here without asking: what it said last, moved on by this process' own. At most as late
 * as an answer takes to come.
 */
export class DatabaseClock {
  private aheadMs: number | null = null;
  private notedAtMs = 0;

  constructor(
    private readonly nowMs: () => number = () => Date.now(),
    private readonly elapsedMs: () => number = () => performance.now(),
  ) {}

  /** `at`: RFC 3339, just come from the database. */
  note(at: string): void {
    this.aheadMs = Date.parse(at) - this.nowMs();
    this.notedAtMs = this.elapsedMs();
  }

  /** RFC 3339 UTC with milliseconds; null: nothing was heard of it lately. */
  now(): string | null {
    if (this.aheadMs === null || this.elapsedMs() - this.notedAtMs > TRUSTED_MS) return null;
    return new Date(this.nowMs() + this.aheadMs).toISOString();
  }
}
