import type { EventType, ViewEvent } from '#libs/domain';
import type { ReadLastBuild } from '#libs/engine';
import type { Session } from '../session.js';
import { viewEvent, type ViewRow } from './event-row.js';

/** Of the body of event `e`, which stands in `payload` when it is large. */
const ofBody = (expression: (body: string) => string): string =>
  `coalesce(${expression('e.data')}, (select ${expression('p.body')} from payload p where p.project_id = e.project_id and p.hash = e.payload_hash))`;

/** What an outline is, is said in libs/context, `view/outline.ts`: a text that begins with a visible sign of ASCII, say, is not blank. */
const outlined = (body: string): string =>
  `case when ${body} ->> 'status' = 'ok' and jsonb_typeof(${body} -> 'content') = 'string' and ascii(${body} ->> 'content') between 33 and 126
    then ${body} || '{"content": ""}' else ${body} end`;

/** As a literal: of a parameter the planner expects so much that it plans each time anew. */
const isOneOf = (types: readonly EventType[]): string => `e.type = any ('{${types.join()}}')`;

const BODY = ofBody((body) => body);
const OUTLINE = ofBody(outlined);
const COLUMNS = 'e.seq, e.type, e.schema_version, e.run_id, e.round, e.entry, e.chars';

/**
 * The last call of a view with what its record names (`report` of `LlmCallStarted`, libs/context): where the call stands and what
 * follows from it is found in the same statement, by the primary key. Bounds are looked up as values, and single rows behind an
 * `offset 0`: a planner that knows little of the table would join the whole stream. `+ 0 =` makes it expect a single row: what it
 * expects would grow with the table, and it would plan each read anew. What rows are sorted by in the database is
 * not sent before the last of them was read, so that is done here.
 */
export async function readLastBuild(session: Session, query: ReadLastBuild): Promise<ViewEvent[]> {
  const { projectId, streamId, afterSeq, uptoSeq, viewKey, runId } = query;
  const ofStream = session`e.project_id = ${projectId} and e.stream_id = ${streamId}`;
  const ofRun = runId === null ? session`` : session`and e.run_id = ${runId}`;
  const ofView =
    runId === null
      ? session.unsafe(isOneOf([...query.types, ...query.typesOfAnyRun]))
      : session`(${session.unsafe(isOneOf(query.typesOfAnyRun))} or (${session.unsafe(isOneOf(query.types))} ${ofRun}))`;
  let read: ViewEvent[] = [];
  const rows = session<ViewRow[]>`
    with call as materialized (
      select e.seq, (d.body ->> 'upto_seq')::bigint as upto_seq, d.body #> '{report,base}' as base,
        (d.body #>> '{frontier,mask_to}')::bigint as mask_to, (d.body #>> '{report,soft_cap}')::bigint as soft_cap
      from event e cross join lateral (select ${session.unsafe(BODY)} as body offset 0) d
      where ${ofStream} and e.seq > ${afterSeq}::bigint and e.seq <= ${uptoSeq}::bigint
        and e.type = 'LlmCallStarted' and d.body #>> '{report,base,view}' = ${viewKey} ${ofRun}
      order by e.seq desc limit 1),
    bounds as materialized (
      select c.seq as call_seq, c.soft_cap, case when c.base -> 'shortening' = 'null' then c.mask_to end as mask_to,
        coalesce(least((c.base ->> 'needs_from')::bigint, c.seq, c.upto_seq + 1), ${afterSeq}::bigint + 1) as from_seq
      from (select) here left join call c on true),
    single as (
      select s::bigint as seq from call c cross join jsonb_array_elements_text(c.base -> 'pinned_seqs') s
      union select (c.base #>> '{compaction,live,seq}')::bigint from call c)
    select ${session.unsafe(COLUMNS)},
      case when e.type = 'ToolCallCompleted' and e.entry <= (select mask_to from bounds)
          and e.chars between ${query.leastOutlinedChars}::bigint and (select soft_cap from bounds)
        then ${session.unsafe(OUTLINE)} else ${session.unsafe(BODY)} end as data
    from event e
    where ${ofStream} and e.seq >= (select from_seq from bounds) and e.seq <= ${uptoSeq}::bigint and e.seq + 0 = e.seq
      and (e.seq = (select call_seq from bounds) or ${ofView})
    union all
    select e.* from single s cross join lateral (
      select ${session.unsafe(COLUMNS)}, ${session.unsafe(BODY)} from event e where ${ofStream} and e.seq = s.seq offset 0) e
    where s.seq < (select from_seq from bounds) and s.seq + 0 = s.seq`;
  // Checked as they come: meanwhile the database writes the next ones.
  await rows.forEach((row) => void read.push(viewEvent(row)));
  const events = read.sort((a, b) => a.seq - b.seq);
  // The driver's statement is garbage that holds on to others for a while: not to these.
  read = [];
  return events;
}
