import { RetryableError } from '#libs/domain';
import type { RunTransaction, RunWork } from '#libs/engine';
import { Gathering } from '../append/gathering.js';
import type { Database } from '../connect.js';
import { databaseError } from '../database-error.js';
import { transact } from '../transact.js';
import { flyRuns, type FlyingWork } from './fly-runs.js';

/**
 * Works on runs share transactions: what is ready while the last one is under way goes together in the next. When a flight
 * fails, each of its works is done by itself, so that one work's fault is its own; a deadlock passes that way too.
 */
export function runFlights(db: Database): <T>(about: RunWork, work: (tx: RunTransaction) => Promise<T>) => Promise<T> {
  const flights = new Gathering<FlyingWork, unknown>(
    (works) => flyRuns(db, works),
    async ({ work }, error) => {
      const failure = databaseError(error);
      if (failure instanceof RetryableError && failure.code === 'database_unavailable') throw failure;
      return transact(db, work);
    },
  );
  // What comes back is what this work returned.
  return <T>(about: RunWork, work: (tx: RunTransaction) => Promise<T>) => flights.ask({ about, work }) as Promise<T>;
}
