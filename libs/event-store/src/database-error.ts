import { AppError, RetryableError } from '#libs/domain';

/** SQLSTATE classes and codes, socket codes and postgres.js codes that mean: the database cannot be reached or does not serve now. */
const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'EHOSTUNREACH',
  'ENOENT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '57014',
  '53300',
  '53200',
  '25006',
  '25P03',
  '55P03',
]);
const UNAVAILABLE_CLASS = '08';

/** SQLSTATE of a serialization failure or a deadlock: the same transaction again may pass. */
const CONTENTION = new Set(['40001', '40P01']);

/** The `code` of a driver error: SQLSTATE, a socket's or postgres.js' own; null for anything else. */
export function errorCode(error: unknown): string | null {
  // By shape: errors of Node's sockets come from another realm in some hosts (jest), where `instanceof Error` is false.
  if (typeof error !== 'object' || error === null || error instanceof AppError || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/**
 * postgres.js asks each new connection for the server's array types and holds nobody to the answer: when the connection
 * ends meanwhile, a promise is rejected that nobody can look at (`fetchArrayTypes` in its src/connection.js, 3.4.9). The
 * statement for which it was opened fails by itself.
 */
export function isAbandonedTypeQuery(error: unknown): boolean {
  if (errorCode(error) === null || typeof error !== 'object' || error === null || !('query' in error)) return false;
  return typeof error.query === 'string' && error.query.includes('pg_catalog.pg_type');
}

/** The violated constraint's name, when the error is a unique violation (23505). */
export function violatedUniqueIndex(error: unknown): string | null {
  if (errorCode(error) !== '23505' || typeof error !== 'object' || error === null || !('constraint_name' in error))
    return null;
  return typeof error.constraint_name === 'string' ? error.constraint_name : null;
}

export const isContention = (error: unknown): boolean => CONTENTION.has(errorCode(error) ?? '');

/**
 * Driver errors as ours: `database_unavailable` (retryable) and `database_contention` (retryable); others go through
 * unchanged, they are bugs.
 */
export function databaseError(error: unknown): unknown {
  const code = errorCode(error);
  if (code === null) return error;
  if (UNAVAILABLE.has(code) || code.startsWith(UNAVAILABLE_CLASS)) {
    return new RetryableError(
      'database_unavailable',
      `the database cannot be used now (${code}): check that Postgres runs and DATABASE_URL is right`,
      { reason: code },
      { cause: error },
    );
  }
  if (CONTENTION.has(code)) {
    return new RetryableError(
      'database_contention',
      `transactions stood in each other's way too often (${code}); trying again may help`,
      { reason: code },
      { cause: error },
    );
  }
  return error;
}

/** The same outcome, driver errors as ours. */
export async function translated<T>(outcome: PromiseLike<T>): Promise<T> {
  try {
    return await outcome;
  } catch (error) {
    throw databaseError(error);
  }
}
