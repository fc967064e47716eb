import type { JournalSize, StepRunRecord } from '#libs/engine';
import type { Session } from '../session.js';

/** What is stored of a step's work in its run: asked when nobody goes on with it. */
export async function readJournalSize(
  session: Session,
  step: Pick<StepRunRecord, 'projectId' | 'runId' | 'stepId' | 'item'>,
): Promise<JournalSize> {
  const [row] = await session<
    { events: number; bytes: number; largest: number; last_type: string | null; last_at: string | null }[]
  >`
    select count(*)::integer as events, coalesce(sum(bytes), 0)::bigint as bytes, coalesce(max(bytes), 0)::bigint as largest,
      (array_agg(type order by xact desc, position desc))[1] as last_type, (array_agg(recorded_at order by xact desc, position desc))[1] as last_at
    from (
      select e.type, e.xact, e.position, e.recorded_at, coalesce(octet_length(e.data::text), 0) + coalesce(p.bytes, 0) as bytes
      from event e left join payload p on p.project_id = e.project_id and p.hash = e.payload_hash
      where e.project_id = ${step.projectId} and e.run_id = ${step.runId} and e.step_id = ${step.stepId}
        and e.item is not distinct from ${step.item}::integer
    ) own`;
  if (row === undefined) return { events: 0, bytes: 0, largestBytes: 0, lastEvent: null };
  const lastEvent =
    row.last_type === null || row.last_at === null ? null : { type: row.last_type, recordedAt: row.last_at };
  return { events: row.events, bytes: row.bytes, largestBytes: row.largest, lastEvent };
}
