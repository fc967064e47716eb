import type { StepRunRecord } from '#libs/engine';
import type { Session } from '../session.js';
import { STEP_RUN_COLUMNS, stepRunRecord, type StepRunRow } from './step-run-row.js';

export async function findStepRun(session: Session, stepRunId: string): Promise<StepRunRecord | null> {
  const [row] = await session<
    StepRunRow[]
  >`select ${session(STEP_RUN_COLUMNS)} from step_run where step_run_id = ${stepRunId}`;
  return row === undefined ? null : stepRunRecord(row);
}

/** In the order in which they became runnable. */
export async function findStepRunsOfRun(session: Session, projectId: string, runId: string): Promise<StepRunRecord[]> {
  const rows = await session<StepRunRow[]>`
    select ${session(STEP_RUN_COLUMNS)} from step_run where project_id = ${projectId} and run_id = ${runId} order by queued_at, step_run_id`;
  return rows.map(stepRunRecord);
}

export async function lockStepRun(
  session: Session,
  projectId: string,
  stepRunId: string,
): Promise<StepRunRecord | null> {
  const [row] = await session<StepRunRow[]>`
    select ${session(STEP_RUN_COLUMNS)} from step_run where project_id = ${projectId} and step_run_id = ${stepRunId} for no key update`;
  return row === undefined ? null : stepRunRecord(row);
}
