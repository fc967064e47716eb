import fc from 'fast-check';
import { bucketWaitMs, emptyBucket, pruneBucket, type LimitBucket } from './limit-bucket.js';

type Simulated = { grantedAtMs: number[]; asked: number };

/** All ask at once, and again each time they are told to, up to `lateMs` too late, as steps are that wake by a timer. */
function simulate(steps: number, requestsPerMinute: number, late: () => number): Simulated {
  const limit = { key: 'm', requestsPerMinute, tokensPerMinute: null, concurrentRequests: null };
  const bucket: LimitBucket = emptyBucket();
  const asks = Array.from({ length: steps }, (_, n) => ({ atMs: 1_000_000 + n, ticket: `t${n}` }));
  const grantedAtMs: number[] = [];
  let asked = 0;
  while (asks.length > 0) {
    asks.sort((a, b) => a.atMs - b.atMs);
    const ask = asks.shift()!;
    asked += 1;
    pruneBucket(bucket, ask.atMs, 1000);
    const waitMs = bucketWaitMs(bucket, limit, { ticket: ask.ticket, tokens: 1, nowMs: ask.atMs, cellMs: 1000 });
    delete bucket.waiting[ask.ticket];
    if (waitMs > 0) {
      bucket.waiting[ask.ticket] = ask.atMs + waitMs;
      asks.push({ ticket: ask.ticket, atMs: ask.atMs + waitMs + late() });
      continue;
    }
    const second = Math.floor(ask.atMs / 1000);
    bucket.cells[second] = { requests: (bucket.cells[second]?.requests ?? 0) + 1, tokens: 1 };
    grantedAtMs.push(ask.atMs);
  }
  return { grantedAtMs, asked };
}

function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length));
}

describe('a bucket', () => {
  it('grants never more than its allowance in any minute, all in the end, and asks nobody often', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 50 }),
        (allowed, steps, lates) => {
          let n = 0;
          const { grantedAtMs, asked } = simulate(steps, allowed, () => lates[(n += 1) % lates.length] ?? 0);
          expect(grantedAtMs).toHaveLength(steps);
          expect(mostInAMinute(grantedAtMs)).toBeLessThanOrEqual(allowed);
          expect(asked).toBeLessThanOrEqual(steps * 6);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('uses at least 90 % of 60 requests a minute with 200 steps that wake up to 1.5 s late', () => {
    let n = 0;
    const { grantedAtMs } = simulate(200, 60, () => ((n += 7) % 16) * 100);
    const minutes = (Math.max(...grantedAtMs) - Math.min(...grantedAtMs)) / 60_000;
    expect(200 / minutes).toBeGreaterThanOrEqual(54);
  });
});
