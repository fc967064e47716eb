import type { RunTransaction, RunWork } from '#libs/engine';
import type { Database } from '../connect.js';
import { readRuns } from '../operations/read-runs.js';
import { writeRunChanges } from '../operations/write-run-changes.js';
import type { Session } from '../session.js';
import { inTransaction } from '../transact.js';
import type { DatabaseClock } from './database-clock.js';
import { memoryTransaction } from './memory-transaction.js';
import type { RunMemory } from './run-memory.js';

/** `underWay`: as in the port. */
export type FlyingWork = {
  about: RunWork;
  work: (tx: RunTransaction) => Promise<unknown>;
  underWay: (decided: unknown) => void;
};

/**
 * One transaction for many works: locks (runs, then steps, each sorted), one reading, the works, one writing. Works on the
 * same run go one after the other and see each other's changes. Throws what any of them throws; nothing was written then.
 */
export function flyRuns(db: Database, clock: DatabaseClock, flight: readonly FlyingWork[]): Promise<unknown[]> {
  return inTransaction(db, async (open) => {
    const memories = await readRuns(
      open(),
      flight.map(({ about }) => about),
    );
    for (const { now } of memories) clock.note(now);
    const results = await performWorks(open, flight, memories);
    await writeRunChanges(
      open(),
      memories.map(({ changes }) => changes),
    );
    return results;
  });
}

async function performWorks(
  open: () => Session,
  flight: readonly FlyingWork[],
  memories: readonly RunMemory[],
): Promise<unknown[]> {
  const results: unknown[] = [];
  const byRun = memories.map(async (memory) => {
    const tx = memoryTransaction(memory, open);
    for (const [index, { about, work }] of flight.entries())
      if (about.projectId === memory.projectId && about.runId === memory.runId) results[index] = await work(tx);
  });
  // All of them end before the transaction does, also when one fails.
  const ended = await Promise.allSettled(byRun);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return results;
}
