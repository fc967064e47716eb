/** `maxAttempts` counts the first one: 1 never retries. Delay before attempt n+1: `min(backoffMs × 2^(n−1), maxBackoffMs)`. */
export type RetryPolicy = {
  readonly maxAttempts: number;
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  readonly jitter: boolean;
};

/** Steps are tried three times in all, after 2 s and 4 s, when neither the step nor `defaults` say otherwise. */
export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 3, backoffMs: 2_000, maxBackoffMs: 60_000, jitter: true };
