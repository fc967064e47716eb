import type { RunRecord } from '#libs/engine';
import type { Session } from '../session.js';
import { RUN_COLUMNS, runRecord, type RunRow } from './run-row.js';

export async function findRun(session: Session, projectId: string, runId: string): Promise<RunRecord | null> {
  const [row] = await session<
    RunRow[]
  >`select ${session(RUN_COLUMNS)} from run where project_id = ${projectId} and run_id = ${runId}`;
  return row === undefined ? null : runRecord(row);
}

/** Locks the row until the transaction ends; rows that refer to it may still be inserted by others. */
export async function lockRun(session: Session, projectId: string, runId: string): Promise<RunRecord | null> {
  const [row] = await session<
    RunRow[]
  >`select ${session(RUN_COLUMNS)} from run where project_id = ${projectId} and run_id = ${runId} for no key update`;
  return row === undefined ? null : runRecord(row);
}
