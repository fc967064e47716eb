import type { ViewEvent } from '#libs/domain';
import type { ReadLastBuild } from '#libs/engine';
import type { Session } from '../session.js';
import { viewEvent, type ViewRow } from './event-row.js';

/**
 * The last call of a view with what its record names (`report.base` of `LlmCallStarted`, libs/context): where the call stands
 * and what follows from it is found in the same statement, by the primary key. What rows are sorted by in the database is not
 * sent before the last of them was read, so that is done here.
 */
export async function readLastBuild(session: Session, query: ReadLastBuild): Promise<ViewEvent[]> {
  const { projectId, streamId, viewKey, runId, types, typesOfAnyRun } = query;
  const ofStream = session`e.project_id = ${projectId} and e.stream_id = ${streamId}`;
  const ofRun = runId === null ? session`` : session`and e.run_id = ${runId}`;
  const body = session`coalesce(e.data, (select p.body from payload p where p.project_id = e.project_id and p.hash = e.payload_hash))`;
  const columns = session`e.seq, e.type, e.schema_version, e.run_id, e.round, e.entry, e.chars, ${body} as data`;
  const events: ViewEvent[] = [];
  const rows = session<ViewRow[]>`
    with call as materialized (
      select e.seq, (d.data ->> 'upto_seq')::bigint as upto_seq, d.data #> '{report,base}' as base
      from event e cross join lateral (select ${body} as data offset 0) d
      where ${ofStream} and e.seq > ${query.afterSeq}::bigint and e.seq <= ${query.uptoSeq}::bigint
        and e.type = 'LlmCallStarted' and d.data #>> '{report,base,view}' = ${viewKey} ${ofRun}
      order by e.seq desc limit 1),
    bounds as materialized (
      select c.seq as call_seq,
        coalesce(least((c.base ->> 'needs_from')::bigint, c.seq, c.upto_seq + 1), ${query.afterSeq}::bigint + 1) as from_seq
      from (select) here left join call c on true),
    single as (
      select s::bigint as seq from call c cross join jsonb_array_elements_text(c.base -> 'pinned_seqs') s
      union select (c.base #>> '{compaction,live,seq}')::bigint from call c)
    select e.* from bounds b cross join lateral (
      select ${columns} from event e
      where ${ofStream} and e.seq >= b.from_seq and e.seq <= ${query.uptoSeq}::bigint
        and (e.seq = b.call_seq or e.type = any (${[...typesOfAnyRun]}::text[]) or (e.type = any (${[...types]}::text[]) ${ofRun}))) e
    union all
    select e.* from bounds b cross join single s cross join lateral (
      select ${columns} from event e where ${ofStream} and e.seq = s.seq) e
    where s.seq < b.from_seq`;
  // Checked as they come: meanwhile the database writes the next ones.
  await rows.forEach((row) => void events.push(viewEvent(row)));
  return events.sort((a, b) => a.seq - b.seq);
}
