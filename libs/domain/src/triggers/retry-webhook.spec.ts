import fc from 'fast-check';
import { decideWebhookRetry, WEBHOOK_ATTEMPTS } from './retry-webhook.js';

const failed = (retryAfterMs: number | null = null) => ({ kind: 'failed' as const, status: 500, retryAfterMs });

describe('what becomes of a delivery', () => {
  it('ends after the last attempt, and with an answer that says so', () => {
    expect(decideWebhookRetry(WEBHOOK_ATTEMPTS, failed(), 0.5)).toEqual({ kind: 'dead' });
    expect(decideWebhookRetry(1, { kind: 'gone', status: 410 }, 0.5)).toEqual({ kind: 'dead' });
    expect(decideWebhookRetry(7, { kind: 'delivered', status: 204 }, 0.5)).toEqual({ kind: 'delivered' });
  });

  it('pauses within a quarter of its length, and as long as the receiver asks, up to a day', () => {
    const cases = fc.record({
      attempt: fc.integer({ min: 1, max: WEBHOOK_ATTEMPTS - 1 }),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 10 * 86_400_000 })),
    });
    fc.assert(
      fc.property(cases, ({ attempt, random, retryAfterMs }) => {
        const plain = decideWebhookRetry(attempt, failed(), 0.5);
        const next = decideWebhookRetry(attempt, failed(retryAfterMs), random);
        if (plain.kind !== 'retry' || next.kind !== 'retry') throw new Error('expected another attempt');
        const asked = Math.min(retryAfterMs ?? 0, 86_400_000);
        expect(next.delayMs).toBeGreaterThanOrEqual(Math.max(asked, plain.delayMs * 0.75 - 1));
        expect(next.delayMs).toBeLessThanOrEqual(Math.max(asked, plain.delayMs * 1.25 + 1));
      }),
    );
  });
});
