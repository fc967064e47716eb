import type { RunActivity, StepRunRecord } from '#libs/engine';
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

/** Those of these steps that have a row at this item and round, in the order in which they became runnable. */
export async function findStepRunsAt(
  session: Session,
  projectId: string,
  runId: string,
  at: { stepIds: readonly string[]; item: number | null; round: number },
): Promise<StepRunRecord[]> {
  const rows = await session<StepRunRow[]>`
    select ${session(STEP_RUN_COLUMNS)} from step_run
    where project_id = ${projectId} and run_id = ${runId} and step_id = any(${[...at.stepIds]}::text[])
      and coalesce(item, -1) = ${at.item ?? -1} and round = ${at.round} order by queued_at, step_run_id`;
  return rows.map(stepRunRecord);
}

/** Those that have not ended. */
export async function findOpenStepRuns(session: Session, projectId: string, runId: string): Promise<StepRunRecord[]> {
  const rows = await session<StepRunRow[]>`
    select ${session(STEP_RUN_COLUMNS)} from step_run
    where project_id = ${projectId} and run_id = ${runId} and ended_at is null order by queued_at, step_run_id`;
  return rows.map(stepRunRecord);
}

/** What of a run is under way. `holdsStream`: something waits that is in the middle of a conversation or of an action. */
export async function findActivity(session: Session, projectId: string, runId: string): Promise<RunActivity> {
  const [row] = await session<RunActivity[]>`
    select coalesce(bool_or(status in ('queued', 'running')), false) as "isActive",
      coalesce(bool_or(status = 'waiting'), false) as "isWaiting",
      coalesce(bool_or(status = 'waiting' and kind not in ('approval', 'wait_for', 'sleep', 'for_each', 'repeat')), false) as "holdsStream"
    from step_run where project_id = ${projectId} and run_id = ${runId} and ended_at is null`;
  return row === undefined ? { isActive: false, isWaiting: false, holdsStream: false } : { ...row };
}
