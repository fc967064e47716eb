import type { Json } from '#libs/domain';
import type { NewSignal, SignalRecord } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import { fromStoredText, toStoredText } from '../encoding/stored-text.js';
import type { Session } from '../session.js';

/** Until the transaction ends: a sender and a step that begins to wait for the same signal go one after the other. */
export async function lockSignal(session: Session, projectId: string, waitKey: string): Promise<void> {
  await session`select pg_advisory_xact_lock(hashtextextended(${`signal:${projectId}:${waitKey}`}, 0))`;
}

export async function insertSignal(session: Session, signal: NewSignal): Promise<void> {
  await session`
    insert into signal_inbox (project_id, signal_id, name, key, wait_key, payload)
    values (${signal.projectId}, ${signal.signalId}, ${signal.name}, ${toStoredText(signal.key)}, ${signal.waitKey},
      (${toStoredJson(signal.payload)}::text)::jsonb)`;
}

type SignalRow = { signal_id: string; name: string; key: string; payload: Json; sent_at: string };

/** The oldest that nobody took, now taken by this step run; null: none came. Lock the signal first. */
export async function takeSignal(
  session: Session,
  projectId: string,
  waitKey: string,
  stepRunId: string,
): Promise<SignalRecord | null> {
  const [row] = await session<SignalRow[]>`
    update signal_inbox set taken_by = ${stepRunId}, taken_at = clock_timestamp()
    where project_id = ${projectId} and signal_id = (
      select signal_id from signal_inbox where project_id = ${projectId} and wait_key = ${waitKey} and taken_at is null
      order by sent_at, signal_id limit 1)
    returning signal_id, name, key, payload, sent_at`;
  if (row === undefined) return null;
  const { signal_id: signalId, name, key, payload, sent_at: sentAt } = row;
  return { signalId, name, key: fromStoredText(key), payload, sentAt };
}

/** For each signal that is there, the step that has waited for it longest. */
export async function findSignalledWaits(
  session: Session,
  limit: number,
): Promise<{ projectId: string; runId: string; stepRunId: string }[]> {
  const rows = await session<{ projectId: string; runId: string; stepRunId: string }[]>`
    select distinct on (i.project_id, i.wait_key) s.project_id as "projectId", s.run_id as "runId", s.step_run_id as "stepRunId"
    from signal_inbox i
    join wait w on w.project_id = i.project_id and w.kind = 'signal' and w.key = i.wait_key
    join step_run s on s.step_run_id = w.step_run_id and s.status = 'waiting'
    where i.taken_at is null order by i.project_id, i.wait_key, w.created_at limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}
