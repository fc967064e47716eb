/** Pauses before the second, third … attempt, in seconds: two and a half days in all. */
const PAUSES_S = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 57_600, 57_600] as const;
const DAY_MS = 86_400_000;

/** Attempts of one delivery; then it is dead and waits for somebody to ask for it again. */
export const WEBHOOK_ATTEMPTS = PAUSES_S.length + 1;
/** An endpoint that took nothing for this long, over at least `DISABLE_AFTER_FAILURES` attempts, is disabled. */
export const DISABLE_AFTER_MS = 3 * DAY_MS;
export const DISABLE_AFTER_FAILURES = 20;

export type AttemptOutcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /** The receiver says that it is gone for good (410). */
  | { readonly kind: 'gone'; readonly status: number }
  | { readonly kind: 'failed'; readonly status: number | null; readonly retryAfterMs: number | null };

export type WebhookNext =
  { readonly kind: 'delivered' } | { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'dead' };

/**
 * What becomes of a delivery after an attempt (counted from 1). The pause is spread over 75 to 125 % of its length, so
 * that deliveries which failed together do not come back together; a receiver's `Retry-After` makes it longer, never
 * shorter, and at most a day.
 * @param random 0 (incl.) to 1 (excl.).
 */
export function decideWebhookRetry(attempt: number, outcome: AttemptOutcome, random: number): WebhookNext {
  switch (outcome.kind) {
    case 'delivered':
      return { kind: 'delivered' };
    case 'gone':
      return { kind: 'dead' };
    case 'failed': {
      const pauseS = PAUSES_S[attempt - 1];
      if (pauseS === undefined) return { kind: 'dead' };
      const spreadMs = Math.round(pauseS * 1000 * (0.75 + random / 2));
      return { kind: 'retry', delayMs: Math.max(spreadMs, Math.min(outcome.retryAfterMs ?? 0, DAY_MS)) };
    }
  }
}
