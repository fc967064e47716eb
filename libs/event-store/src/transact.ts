import type { RunTransaction } from '#libs/engine';
import { RetryableError } from '#libs/domain';
import { retryContention } from './append/retry-contention.js';
import type { Database } from './connect.js';
import { translated } from './database-error.js';
import { runTransaction } from './run-transaction.js';
import type { Session } from './session.js';

/** Runs `work` in one read-committed transaction, again when it lost against another one. Work must be repeatable. */
export function transact<T>(db: Database, work: (tx: RunTransaction) => Promise<T>): Promise<T> {
  return translated(retryContention(() => inTransaction(db, (open) => work(runTransaction(open)))));
}

/** One try, in time. `open` gives the session, and throws once the time is over. Driver errors go through unchanged. */
export async function inTransaction<T>(db: Database, work: (open: () => Session) => Promise<T>): Promise<T> {
  let isOver = false;
  let result: { value: T } | null = null;
  try {
    await db.within(() =>
      db.sql.begin(async (session) => {
        // After the time-out the caller has its error: what still runs must not write, so it throws and rolls back.
        const open = () => {
          if (isOver)
            throw new RetryableError('database_unavailable', 'the transaction is over', { reason: 'timeout' });
          return session;
        };
        result = { value: await work(open) };
        open();
      }),
    );
  } finally {
    isOver = true;
  }
  return outcome(result);
}

function outcome<T>(result: { value: T } | null): T {
  if (result === null) throw new Error('a transaction committed without a result');
  return result.value;
}
