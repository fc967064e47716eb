import { shareOfAMinute } from '../support/share-of-a-minute.js';

it('60 requests a minute for 4 workers with 200 steps waiting: none fails, and at least 90 % of the allowance is used', async () => {
  const shared = await shareOfAMinute({ minuteMs: 60_000, over: 200, seen: 200 });
  process.stderr.write(`used ${(shared.usedShare * 100).toFixed(1)} % of 60 requests a minute\n`);
  expect(shared).toMatchObject({
    ...{ statuses: new Set(['succeeded']), attempts: new Set([1]), requests: 260 },
    ...{ waiting: 200, beside: { status: 'succeeded', waiting: 200 } },
  });
  expect(shared.mostAtOnce).toBeLessThanOrEqual(60);
  expect(shared.usedShare).toBeGreaterThanOrEqual(0.9);
}, 600_000);
