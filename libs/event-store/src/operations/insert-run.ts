import type { NewRun } from '#libs/engine';
import { noChanges } from '../flight/run-changes.js';
import type { Session } from '../session.js';
import { writeRunChanges } from './write-run-changes.js';

/** A queued run. Its deadline bounds the time in the queue too; starting it sets timeout_at anew. */
export const insertRun = (session: Session, run: NewRun): Promise<void> =>
  writeRunChanges(session, [{ ...noChanges(), newRun: { ...run, createdAt: null } }]);
