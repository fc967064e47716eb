import type { Json } from './json.js';

/**
 * The one base of thrown errors. `code` is stable and snake_case, the message says what, where,
 * what was expected and what to do; `details` are plain values that may be shown to the caller.
 */
export class AppError extends Error {
  override readonly name: string = 'AppError';

  constructor(
    readonly code: string,
    message: string,
    readonly details: { [key: string]: Json } = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** Trying again may help: a network fault, an overloaded provider, a database that restarts. */
export class RetryableError extends AppError {
  override readonly name = 'RetryableError';

  constructor(
    code: string,
    message: string,
    details: { [key: string]: Json } = {},
    options?: { cause?: unknown; retryAfterMs?: number },
  ) {
    super(code, message, details, options);
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }

  readonly retryAfterMs: number | null;
}

/** The same input fails the same way: trying again without a change is useless. */
export class TerminalError extends AppError {
  override readonly name = 'TerminalError';
}
