import { AppError } from '#libs/domain';
import type { AppendUnit } from '#libs/engine';
import type { Session } from '../session.js';
import { appendUnits } from './append-units.js';

/** Appends units without conditions in a transaction. @throws AppError `append_refused`; the caller's transaction fails. */
export async function recordUnits(session: Session, units: readonly AppendUnit[]): Promise<void> {
  const results = await appendUnits(session, units);
  results.forEach((result, index) => {
    if (result.status === 'appended') return;
    const runId = units[index]?.events[0]?.runId ?? null;
    throw new AppError(
      'append_refused',
      `an append of run ${runId ?? '?'} was refused (${result.status}); nothing was written`,
      { run_id: runId, ...(result.status === 'id_conflict' ? { event_id: result.eventId } : {}) },
    );
  });
}
