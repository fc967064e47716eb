import type { RetryPolicy } from '../retry-policy.js';
import type { Fields } from './fields.js';

/** Only the fields that are named: the others come from farther away. */
export function readRetry(fields: Fields | null): Partial<RetryPolicy> | null {
  if (fields === null) return null;
  const maxAttempts = fields.number('max_attempts');
  const backoffMs = fields.durationMs('backoff', 0);
  const maxBackoffMs = fields.durationMs('max_backoff', 0);
  const jitter = fields.flag('jitter');
  if (backoffMs !== null && maxBackoffMs !== null && maxBackoffMs < backoffMs) {
    fields.reading.fault(fields.at('max_backoff'), {
      code: 'out_of_range',
      found: String(fields.text('max_backoff')),
      expected: `at least backoff (${fields.text('backoff')})`,
    });
  }
  return {
    ...(maxAttempts === null ? {} : { maxAttempts }),
    ...(backoffMs === null ? {} : { backoffMs }),
    ...(maxBackoffMs === null ? {} : { maxBackoffMs }),
    ...(jitter === null ? {} : { jitter }),
  };
}
