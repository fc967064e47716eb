import type { StepRunRecord } from '#libs/engine';
import type { Session } from '../session.js';
import { STEP_RUN_COLUMNS, stepRunRecord, type StepRunRow } from './step-run-row.js';

/** Steps whose worker stopped renewing, longest first. */
export async function findExpiredLeases(session: Session, limit: number): Promise<StepRunRecord[]> {
  const rows = await session<StepRunRow[]>`
    select ${session(STEP_RUN_COLUMNS)} from step_run where handed_out and status = 'running' and lease_until < now() order by lease_until limit ${limit}`;
  return rows.map(stepRunRecord);
}
