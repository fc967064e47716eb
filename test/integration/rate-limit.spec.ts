import { shareOfAMinute, SLOTS } from '../support/share-of-a-minute.js';

// The real minute, and how much of it is used: test/long.
it('60 requests a minute for 4 workers: what is over waits without a slot, an attempt or a failure', async () => {
  const shared = await shareOfAMinute({ minuteMs: 20_000, over: 40, seen: SLOTS + 8 });
  expect(shared).toMatchObject({
    ...{ statuses: new Set(['succeeded']), attempts: new Set([1]), requests: 100, beside: { status: 'succeeded' } },
  });
}, 600_000);
