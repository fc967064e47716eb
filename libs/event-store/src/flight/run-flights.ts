import { RetryableError } from '#libs/domain';
import type { RunStore, RunTransaction, RunWork } from '#libs/engine';
import { Gathering } from '../append/gathering.js';
import type { Database } from '../connect.js';
import { databaseError } from '../database-error.js';
import { transact } from '../transact.js';
import { DatabaseClock } from './database-clock.js';
import type { RecalledSteps } from './recalled-steps.js';
import { flyExpected, type Expected } from './fly-expected.js';
import { flyRuns, type FlyingWork } from './fly-runs.js';

/**
 * Works on runs share transactions: what is ready while the last one is under way goes together in the next. First without a lock, by
 * what is seen of their runs, in one round trip; where that does not do, under locks. When a flight under locks fails, each of its
 * works is done by itself, so that one work's fault is its own; a deadlock passes that way too.
 */
export function runFlights(db: Database, recalled: RecalledSteps): RunStore['transactRun'] {
  const clock = new DatabaseClock();
  const locked = new Gathering<FlyingWork, unknown>(
    (works) => flyRuns(db, clock, works),
    async ({ work }, error) => {
      throwIfAway(error);
      return transact(db, work);
    },
  );
  const expected = new Gathering<FlyingWork, Expected>(
    (works) => flyExpected(db, { clock, recalled }, works),
    async (_work, error) => {
      throwIfAway(error);
      return { kind: 'unsure' };
    },
  );
  return async <T>(
    about: RunWork,
    work: (tx: RunTransaction) => Promise<T>,
    underWay: (decided: T) => void = () => undefined,
  ) => {
    // It gets what this work returned.
    const sent = underWay as FlyingWork['underWay'];
    const asked = { about, work, underWay: sent };
    const first: Expected = about.seen === null ? { kind: 'unsure' } : await expected.ask(asked);
    // What comes back is what this work returned.
    return (first.kind === 'written' ? first.result : await locked.ask(asked)) as T;
  };
}

/** A statement whose answer did not come may have been carried out, so it is not tried again here. */
function throwIfAway(error: unknown): void {
  const failure = databaseError(error);
  if (failure instanceof RetryableError && failure.code === 'database_unavailable') throw failure;
}
