import type { RunActivity, ScopePlace, StepRunRecord } from '#libs/engine';
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

export type PlaceQuestion = { projectId: string; runId: string; at: ScopePlace };

/** Those of these steps that have a row at this item and round, in the order in which they became runnable. */
export async function findStepRunsAt(
  session: Session,
  projectId: string,
  runId: string,
  at: ScopePlace,
): Promise<StepRunRecord[]> {
  const [found] = await findStepRunsAtPlaces(session, [{ projectId, runId, at }]);
  return found ?? [];
}

/** The same for many places, in their order. Equal ones are read once. */
export async function findStepRunsAtPlaces(
  session: Session,
  questions: readonly PlaceQuestion[],
): Promise<StepRunRecord[][]> {
  const keys = questions.map((question) => JSON.stringify(question));
  const asked = [...new Map(questions.map((question, index) => [keys[index] ?? '', question]))];
  const rowsAsked = asked.map(([key, { projectId, runId, at }]) => ({
    ...{
      one: 1,
      key,
      project_id: projectId,
      run_id: runId,
      step_ids: at.stepIds,
      item: at.item ?? -1,
      round: at.round,
    },
  }));
  const rows = await session<(StepRunRow & { key: string })[]>`
    select a.key, s.* from jsonb_to_recordset((${JSON.stringify(rowsAsked)}::text)::jsonb) as a(
      one integer, key text, project_id text, run_id text, step_ids text[], item integer, round integer)
    cross join lateral (select distinct id from unnest(a.step_ids) as id) p
    cross join lateral (
      select ${session(STEP_RUN_COLUMNS)} from step_run
      where project_id = a.project_id and run_id = a.run_id and step_id = p.id
        and coalesce(item, -1) = a.item and round = a.round offset 0
    ) s
    where a.one = 1 order by s.queued_at, s.step_run_id`;
  const found = new Map<string, StepRunRecord[]>(asked.map(([key]) => [key, []]));
  for (const row of rows) found.get(row.key)?.push(stepRunRecord(row));
  return keys.map((key) => found.get(key) ?? []);
}

/** Those that have not ended. */
export async function findOpenStepRuns(session: Session, projectId: string, runId: string): Promise<StepRunRecord[]> {
  const rows = await session<StepRunRow[]>`
    select ${session(STEP_RUN_COLUMNS)} from step_run
    where project_id = ${projectId} and run_id = ${runId} and ended_at is null order by queued_at, step_run_id`;
  return rows.map(stepRunRecord);
}

/**
 * What of a run is under way, `without` these steps. From the end of its steps' index: of a map, those that began last are open, and
 * what ended before them need not be read.
 */
export async function findActivity(
  session: Session,
  projectId: string,
  runId: string,
  without: readonly string[],
): Promise<RunActivity> {
  const ofRun = session`project_id = ${projectId} and run_id = ${runId} and ended_at is null and step_run_id <> all(${[...without]}::text[])`;
  const [row] = await session<RunActivity[]>`
    select a.active as "isActive", coalesce(w.waiting, false) as "isWaiting", coalesce(w.holding, false) as "holdsStream"
    from (
      select exists (
        select from (
          select from step_run where ${ofRun} and status in ('queued', 'running')
          order by project_id desc, run_id desc, step_id desc, coalesce(item, -1) desc, round desc limit 1
        ) s
      ) as active offset 0
    ) a
    cross join lateral (
      select bool_or(true) as waiting, bool_or(kind not in ('approval', 'wait_for', 'sleep', 'for_each', 'repeat')) as holding
      from step_run where not a.active and ${ofRun} and status = 'waiting'
    ) w`;
  return row === undefined ? { isActive: false, isWaiting: false, holdsStream: false } : { ...row };
}
