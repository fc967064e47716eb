/** What becomes of a tick while a run of the schedule is under way. `queue`: the tick waits for its end. */
export const OVERLAP_POLICIES = ['skip', 'allow', 'queue', 'cancel'] as const;
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** What becomes of ticks that passed while nobody could start them: none of them runs, the latest, or all in order. */
export const CATCH_UP_POLICIES = ['skip', 'latest', 'all'] as const;
export type CatchUpPolicy = (typeof CATCH_UP_POLICIES)[number];

export type TickPolicy = {
  readonly overlap: OverlapPolicy;
  readonly catchUp: CatchUpPolicy;
  /** Ticks older than this never run. */
  readonly catchUpWindowMs: number;
};

/** Times are milliseconds since 1970. `nextAt` null: the pattern has no further tick. */
export type TickDecision =
  | { readonly kind: 'not_due' }
  | { readonly kind: 'start'; readonly at: number; readonly nextAt: number | null; readonly cancelsOpenRuns: boolean }
  /** A run of the schedule is under way. */
  | { readonly kind: 'skip'; readonly at: number; readonly nextAt: number | null }
  /** `count` ticks from `at` to `lastAt` do not run: too late. */
  | {
      readonly kind: 'miss';
      readonly at: number;
      readonly lastAt: number;
      readonly count: number;
      readonly nextAt: number | null;
    }
  | { readonly kind: 'wait' };

/** A tick that starts within this time is on time: sweeps, restarts and short faults of the database are shorter. */
export const ON_TIME_MS = 60_000;
/** Of ticks that passed; one decision looks at no more, the next one goes on. */
const MOST_TICKS = 500;

/**
 * What to do about the earliest tick that was neither started nor passed over. Asked again until it answers `not_due` or
 * `wait`: each other answer moves `nextAt` on.
 * @param next the first tick after a time.
 */
export function decideTick(
  policy: TickPolicy,
  facts: { readonly nextAt: number; readonly now: number; readonly openRuns: number },
  next: (afterMs: number) => number | null,
): TickDecision {
  const { nextAt, now, openRuns } = facts;
  if (nextAt > now) return { kind: 'not_due' };
  const missed = missedTicks(policy, nextAt, now, next);
  if (missed !== null) return missed;
  const after = next(nextAt);
  if (openRuns === 0) return { kind: 'start', at: nextAt, nextAt: after, cancelsOpenRuns: false };
  switch (policy.overlap) {
    case 'allow':
    case 'cancel':
      return { kind: 'start', at: nextAt, nextAt: after, cancelsOpenRuns: policy.overlap === 'cancel' };
    case 'skip':
      return { kind: 'skip', at: nextAt, nextAt: after };
    case 'queue':
      return { kind: 'wait' };
  }
}

/** The run of ticks at the beginning that are not to be started, or null. */
function missedTicks(
  policy: TickPolicy,
  from: number,
  now: number,
  next: (afterMs: number) => number | null,
): (TickDecision & { kind: 'miss' }) | null {
  let lastAt: number | null = null;
  let count = 0;
  let at: number | null = from;
  while (at !== null && at <= now && count < MOST_TICKS) {
    const after = next(at);
    const isLatest = after === null || after > now;
    if (!isMissed(policy, now - at, isLatest)) break;
    lastAt = at;
    count += 1;
    at = after;
  }
  return lastAt === null ? null : { kind: 'miss', at: from, lastAt, count, nextAt: at };
}

function isMissed({ catchUp, catchUpWindowMs }: TickPolicy, lateMs: number, isLatest: boolean): boolean {
  switch (catchUp) {
    case 'skip':
      return lateMs > ON_TIME_MS;
    case 'latest':
      return !isLatest || lateMs > catchUpWindowMs;
    case 'all':
      return lateMs > catchUpWindowMs;
  }
}
