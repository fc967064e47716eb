import { runErrorSchema, type ItemStatus, type Json, type OpenItems, type RunError } from '#libs/domain';
import type { ItemRecord, LoopKey } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import type { Session } from '../session.js';

export async function insertItems(
  session: Session,
  { projectId, stepRunId }: LoopKey,
  values: readonly Json[],
): Promise<void> {
  if (values.length === 0) return;
  await session`
    insert into step_item (project_id, step_run_id, item, status, value)
    select ${projectId}, ${stepRunId}, (v.ordinality - 1)::integer, 'pending', v.value
    from jsonb_array_elements((${toStoredJson([...values])}::text)::jsonb) with ordinality v`;
}

/** The first that have not begun, now running. */
export async function startItems(
  session: Session,
  { projectId, stepRunId }: LoopKey,
  count: number,
): Promise<number[]> {
  if (count <= 0) return [];
  const rows = await session<{ item: number }[]>`
    with next as materialized (
      select 1 as one, item from step_item where project_id = ${projectId} and step_run_id = ${stepRunId} and status = 'pending'
      order by item limit ${count}
    )
    update step_item i set status = 'running', started_at = clock_timestamp() from next
    where next.one = 1 and i.project_id = ${projectId} and i.step_run_id = ${stepRunId} and i.item = next.item returning i.item`;
  return rows.map(({ item }) => item).sort((a, b) => a - b);
}

export async function endItem(
  session: Session,
  { projectId, stepRunId }: LoopKey,
  ended: { item: number; status: ItemStatus; output: Json; error: RunError | null },
): Promise<void> {
  await session`
    update step_item set status = ${ended.status}, ended_at = clock_timestamp(),
      output = (${toStoredJson(ended.output)}::text)::jsonb, error = (${toStoredJson(ended.error)}::text)::jsonb
    where project_id = ${projectId} and step_run_id = ${stepRunId} and item = ${ended.item}`;
}

/** Those that have not ended; returns their numbers. */
export async function cancelItems(session: Session, { projectId, stepRunId }: LoopKey): Promise<number[]> {
  const rows = await session<{ item: number }[]>`
    update step_item set status = 'cancelled', ended_at = clock_timestamp()
    where project_id = ${projectId} and step_run_id = ${stepRunId} and status in ('pending', 'running') returning item`;
  return rows.map(({ item }) => item).sort((a, b) => a - b);
}

export async function reopenItems(
  session: Session,
  { projectId, stepRunId }: LoopKey,
  reopened: { running: readonly number[]; pending: readonly number[] },
): Promise<void> {
  await session`
    update step_item set status = case when item = any(${[...reopened.running]}::integer[]) then 'running' else 'pending' end,
      output = null, error = null, ended_at = null
    where project_id = ${projectId} and step_run_id = ${stepRunId}
      and item = any(${[...reopened.running, ...reopened.pending]}::integer[])`;
}

/** Of those that wait and run up to `most`, of the failed one: what it costs does not grow with the loop. */
export async function countItems(
  session: Session,
  { projectId, stepRunId }: LoopKey,
  most: number,
): Promise<OpenItems> {
  const [counted] = await session<OpenItems[]>`
    select (select count(*) from (
        select from step_item where project_id = ${projectId} and step_run_id = ${stepRunId} and status = 'pending' limit ${most}
      ) p)::integer as pending,
      (select count(*) from (
        select from step_item where project_id = ${projectId} and step_run_id = ${stepRunId} and status = 'running'
        order by item desc limit ${most}
      ) r)::integer as running,
      exists (
        select from step_item where project_id = ${projectId} and step_run_id = ${stepRunId} and status = 'failed'
      )::integer as failed`;
  return counted === undefined ? { pending: 0, running: 0, failed: 0 } : { ...counted };
}

type ItemRow = { item: number; status: ItemStatus; value: Json; output: Json; error: Json };

/** In their order. */
export async function findItems(session: Session, { projectId, stepRunId }: LoopKey): Promise<ItemRecord[]> {
  const rows = await session<ItemRow[]>`
    select item, status, value, output, error from step_item
    where project_id = ${projectId} and step_run_id = ${stepRunId} order by item`;
  return rows.map(({ error, ...row }) => ({ ...row, error: error === null ? null : runErrorSchema.parse(error) }));
}

export type ItemQuestion = { loop: LoopKey; item: number };

/** Null when there is none. */
export async function findItemValue(session: Session, loop: LoopKey, item: number): Promise<{ value: Json } | null> {
  const [found] = await findItemValues(session, [{ loop, item }]);
  return found ?? null;
}

/** The same for many, in their order. */
export async function findItemValues(
  session: Session,
  questions: readonly ItemQuestion[],
): Promise<({ value: Json } | null)[]> {
  const asked = questions.map(({ loop, item }, no) => ({
    ...{ no, project_id: loop.projectId, step_run_id: loop.stepRunId, item },
  }));
  const rows = await session<{ no: number; value: Json }[]>`
    select a.no, i.value from jsonb_to_recordset((${JSON.stringify(asked)}::text)::jsonb) as a(no integer, project_id text, step_run_id text, item integer)
    cross join lateral (
      select value from step_item where project_id = a.project_id and step_run_id = a.step_run_id and item = a.item offset 0
    ) i`;
  const values = new Map(rows.map(({ no, value }) => [no, { value }]));
  return questions.map((_, no) => values.get(no) ?? null);
}
