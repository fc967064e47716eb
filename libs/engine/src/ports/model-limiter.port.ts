/** What one bucket allows; all processes that name the same key share it. Null: no bound of this kind. */
export type ModelLimit = {
  key: string;
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  concurrentRequests: number | null;
};

export type LimitAsk = {
  /** Who asks, the same each time that it asks again: its place in the line. */
  ticket: string;
  limits: readonly ModelLimit[];
  /** The estimate of what the call will use, input and output. */
  tokens: number;
  /** After this time a call that was never settled counts as ended. */
  holdMs: number;
};

export type Reservation = {
  id: string;
  limits: readonly ModelLimit[];
  tokens: number;
  /** When it was granted, by the limiter's clock (ms since epoch). */
  grantedAtMs: number;
};

export type LimitAnswer =
  | { kind: 'granted'; reservation: Reservation }
  /** Come again then; asking earlier gains nothing. */
  | { kind: 'wait'; waitMs: number };

/** The allowances of models, shared by all processes. Each may fail with `queue_unavailable`. */
export interface ModelLimiter {
  /** Takes the request out of every bucket, or out of none. */
  reserve(ask: LimitAsk): Promise<LimitAnswer>;
  /** The call has ended: its place is free. `tokens`: what it used; null: not known, the estimate stands. */
  settle(reservation: Reservation, tokens: number | null): Promise<void>;
  /** Nobody gets anything out of these buckets for so long: what a provider's Retry-After asks for. */
  close(keys: readonly string[], forMs: number): Promise<void>;
}
