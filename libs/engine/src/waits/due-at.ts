import type { RunTransaction } from '../ports/run-store.port.js';

/** For events: when a wait is due that is written in this transaction, as its row has it. RFC 3339; null: it has no end. */
export const dueAt = async (tx: Pick<RunTransaction, 'now'>, dueInMs: number | null): Promise<string | null> =>
  dueInMs === null ? null : inMs(tx, dueInMs);

/** The same of a wait that has an end. */
export const inMs = async (tx: Pick<RunTransaction, 'now'>, ms: number): Promise<string> =>
  new Date((await tx.now()) + ms).toISOString();
