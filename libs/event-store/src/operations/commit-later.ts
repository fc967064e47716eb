import type { Session } from '../session.js';

/**
 * A condition that is true, for a row that may be written: its transaction then commits without waiting for the disk (ADR 0031).
 * Only in a statement that is a transaction by itself, and only for what is found again from facts after a crash of Postgres took it
 * back: marks of dispatch, and claims, whose fences no later claim can have.
 */
export const commitsLater = (session: Session) => session`set_config('synchronous_commit', 'off', true) = 'off'`;
