import type { Json } from '#libs/domain';
import type { Claimed } from '#libs/engine';

const MOST = 256;
/** What waited longer may meet a pause or a cancel that its claim would have seen. */
const LONGEST_MS = 1000;
/** Of what a step sees: more is read again by its claim. */
const MOST_CHARS = 16_384;

/**
 * What this process knows of steps that it made runnable, because it wrote all that a claim would read. Steps that other processes
 * take stay until newer ones push them out; none is ever wrong, only late, and what is done by it is compared when it is written.
 */
export class RecalledSteps {
  private readonly steps = new Map<string, { known: Claimed; keptAtMs: number }>();

  constructor(private readonly elapsedMs: () => number = () => performance.now()) {}

  keep(known: Claimed): void {
    if (!isSmall(known)) return;
    this.steps.set(known.step.stepRunId, { known, keptAtMs: this.elapsedMs() });
    const [oldest] = this.steps.keys();
    if (this.steps.size > MOST && oldest !== undefined) this.steps.delete(oldest);
  }

  /** Once, and soon. */
  take(stepRunId: string): Claimed | null {
    const kept = this.steps.get(stepRunId);
    this.steps.delete(stepRunId);
    return kept === undefined || this.elapsedMs() - kept.keptAtMs > LONGEST_MS ? null : kept.known;
  }
}

function isSmall({ run, steps }: Claimed): boolean {
  let left = MOST_CHARS;
  for (const value of [run.inputs, run.metadata, ...(steps ?? []).map(({ output }) => output)]) {
    left = charsLeft(value, left);
    if (left < 0) return false;
  }
  return true;
}

/** Less than none as soon as the value is known to be longer; no more of it is looked at then. */
function charsLeft(value: Json, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left;
  for (const [key, member] of Object.entries(value)) {
    rest = charsLeft(member, rest - key.length);
    if (rest < 0) return rest;
  }
  return rest;
}
