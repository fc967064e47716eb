import fc from 'fast-check';
import { decideTick, ON_TIME_MS, type CatchUpPolicy, type OverlapPolicy, type TickDecision } from './decide-tick.js';

const MINUTE = 60_000;

/** Ticks every `everyMs`, until `lastMs`. */
const every =
  (everyMs: number, lastMs = Infinity) =>
  (after: number): number | null => {
    const next = (Math.floor(after / everyMs) + 1) * everyMs;
    return next > lastMs ? null : next;
  };

const policies = fc.record({
  overlap: fc.constantFrom<OverlapPolicy>('skip', 'allow', 'queue', 'cancel'),
  catchUp: fc.constantFrom<CatchUpPolicy>('skip', 'latest', 'all'),
  catchUpWindowMs: fc.integer({ min: 0, max: 3000 * MINUTE }),
});

/** All decisions until there is nothing more to do; runs end at once unless `openRuns` says otherwise. */
function decideAll(
  policy: Parameters<typeof decideTick>[0],
  facts: { nextAt: number; now: number; openRuns: number },
  next: (after: number) => number | null,
): TickDecision[] {
  const decisions: TickDecision[] = [];
  let nextAt: number | null = facts.nextAt;
  while (nextAt !== null) {
    const decision: TickDecision = decideTick(policy, { ...facts, nextAt }, next);
    if (decision.kind === 'not_due' || decision.kind === 'wait') return decisions;
    decisions.push(decision);
    nextAt = decision.nextAt;
  }
  return decisions;
}

const ticksIn = (decision: TickDecision): number =>
  decision.kind === 'miss' ? decision.count : decision.kind === 'start' || decision.kind === 'skip' ? 1 : 0;

describe('the decision about a tick', () => {
  it('accounts for every due tick once and in order, whatever the policy and however long nobody looked', () => {
    const cases = fc.record({
      policy: policies,
      everyMin: fc.integer({ min: 1, max: 90 }),
      first: fc.integer({ min: 1, max: 100 }),
      lateMin: fc.integer({ min: 0, max: 2000 }),
      openRuns: fc.integer({ min: 0, max: 2 }),
    });
    fc.assert(
      fc.property(cases, ({ policy, everyMin, first, lateMin, openRuns }) => {
        const next = every(everyMin * MINUTE);
        const nextAt = first * everyMin * MINUTE;
        const now = nextAt + lateMin * MINUTE;
        const decisions = decideAll(policy, { nextAt, now, openRuns }, next);
        const waits = policy.overlap === 'queue' && openRuns > 0;
        const due = Math.floor((now - nextAt) / (everyMin * MINUTE)) + 1;
        const decided = decisions.reduce((sum, decision) => sum + ticksIn(decision), 0);
        if (waits) expect(decided).toBeLessThanOrEqual(due);
        else expect(decided).toBe(due);
        let at = nextAt;
        for (const decision of decisions) {
          if (decision.kind === 'not_due' || decision.kind === 'wait') throw new Error('these end the list');
          expect(decision.at).toBe(at);
          expect(decision.nextAt).toBe(at + ticksIn(decision) * everyMin * MINUTE);
          at = decision.nextAt ?? NaN;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('starts nothing that is older than its policy allows', () => {
    const cases = fc.record({ policy: policies, lateMin: fc.integer({ min: 0, max: 3000 }) });
    fc.assert(
      fc.property(cases, ({ policy, lateMin }) => {
        const nextAt = 10 * MINUTE;
        const now = nextAt + lateMin * MINUTE;
        const started = decideAll(policy, { nextAt, now, openRuns: 0 }, every(10 * MINUTE)).flatMap((decision) =>
          decision.kind === 'start' ? [now - decision.at] : [],
        );
        const oldest = policy.catchUp === 'skip' ? ON_TIME_MS : policy.catchUpWindowMs;
        for (const late of started) expect(late).toBeLessThanOrEqual(oldest);
        if (policy.catchUp === 'latest') expect(started.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });

  const due = { nextAt: 10 * MINUTE, now: 10 * MINUTE, openRuns: 1 };
  const policy = { catchUp: 'latest', catchUpWindowMs: 1000 * MINUTE } as const;

  it.each([
    ['skip', 'skip'],
    ['allow', 'start'],
    ['cancel', 'start'],
    ['queue', 'wait'],
  ] as const)('with overlap %s a tick beside a run under way is: %s', (overlap, kind) => {
    const decision = decideTick({ ...policy, overlap }, due, every(10 * MINUTE));
    expect(decision.kind).toBe(kind);
    if (decision.kind === 'start') expect(decision.cancelsOpenRuns).toBe(overlap === 'cancel');
  });

  it('ends with the pattern’s last tick', () => {
    const decision = decideTick(
      { ...policy, overlap: 'skip' },
      { ...due, openRuns: 0 },
      every(10 * MINUTE, 10 * MINUTE),
    );
    expect(decision).toMatchObject({ kind: 'start', nextAt: null });
  });
});
