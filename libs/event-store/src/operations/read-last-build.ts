import type { EventType, ViewEvent } from '#libs/domain';
import type { ReadLastBuild } from '#libs/engine';
import type { Session } from '../session.js';
import { LONG_TEXTS, viewEvent, type ViewRow } from './event-row.js';

/**
 * The body of event `e`, which stands in `payload` when it is large. It is unpacked once (that is what joining it with nothing
 * does) and behind an `offset 0`: otherwise each look into it would unpack it anew.
 */
const BODY = `(
  select coalesce(e.data, (select p.body from payload p where p.project_id = e.project_id and p.hash = e.payload_hash)) || '{}' as body
  offset 0) d`;

/** The key of its long text; null: it has none. */
const KEY = `case e.type ${Object.entries(LONG_TEXTS)
  .map(([type, key]) => `when '${type}' then '${key}'`)
  .join(' ')} end`;

/** What an outline is, is said in libs/context, `view/outline.ts`: a text that begins with a visible sign of ASCII, say, is not blank. */
const OUTLINED = `e.type = 'ToolCallCompleted' and e.entry <= (select mask_to from bounds)
  and e.chars between $7::bigint and (select soft_cap from bounds)
  and d.body ->> 'status' = 'ok' and ascii(d.body ->> 'content') between 33 and 126`;

/** As a literal: of a parameter the planner expects so much that it plans each time anew. */
const isOneOf = (types: readonly EventType[]): string => `e.type = any ('{${types.join()}}')`;

/** The columns of `ViewRow`, with the long text as it is or as `shown`. A body that is lost is null, which no schema takes. */
const rowOf = (shown: string): { columns: string; source: string } => ({
  columns: `e.type, e.run_id, t.text,
    concat('[', e.seq, ',', e.schema_version, ',', e.round, ',', coalesce(e.entry::text, 'null'), ',', e.chars, ',',
      coalesce((case when t.text is null then d.body else d.body - ${KEY} end)::text, 'null'), ']') as rest`,
  source: `event e cross join lateral ${BODY}
    cross join lateral (select case when jsonb_typeof(d.body -> ${KEY}) = 'string' then ${shown} end as text offset 0) t`,
});
const WHOLE = rowOf(`d.body ->> ${KEY}`);
const LIKELY = rowOf(`case when ${OUTLINED} then '' else d.body ->> ${KEY} end`);
const OF_STREAM = 'e.project_id = $1 and e.stream_id = $2';

/**
 * The last call of a view with what its record names (`report` of `LlmCallStarted`, libs/context): where the call stands and what
 * follows from it is found in the same statement, by the primary key. Bounds are looked up as values, and single rows behind an
 * `offset 0`: a planner that knows little of the table would join the whole stream. `+ 0 =` makes it expect a single row: what it
 * expects would grow with the table, and it would plan each read anew. What rows are sorted by in the database is
 * not sent before the last of them was read, so that is done here.
 */
export async function readLastBuild(session: Session, query: ReadLastBuild): Promise<ViewEvent[]> {
  const { projectId, streamId, afterSeq, uptoSeq, viewKey, runId } = query;
  let read: ViewEvent[] = [];
  const parameters = [projectId, streamId, afterSeq, uptoSeq, viewKey, runId, query.leastOutlinedChars];
  const rows = session.unsafe<{ column: ViewRow[number] }[]>(statement(query), parameters, { prepare: true }).values();
  // Checked as they come: meanwhile the database writes the next ones. The columns are those of a `ViewRow`, in its order.
  await rows.forEach((row) => void read.push(viewEvent(row as unknown as ViewRow)));
  const events = read.sort((a, b) => a.seq - b.seq);
  // The driver's statement is garbage that holds on to others for a while: not to these.
  read = [];
  return events;
}

/** By run only where the view is that of one: the types are then looked up in one list. */
const ofView = ({ types, typesOfAnyRun, runId }: ReadLastBuild): string =>
  runId === null
    ? isOneOf([...types, ...typesOfAnyRun])
    : `(${isOneOf(typesOfAnyRun)} or (${isOneOf(types)} and e.run_id = $6))`;

const statement = (query: ReadLastBuild): string => `
  with call as materialized (
    select e.seq, (d.body ->> 'upto_seq')::bigint as upto_seq, d.body #> '{report,base}' as base,
      (d.body #>> '{frontier,mask_to}')::bigint as mask_to, (d.body #>> '{report,soft_cap}')::bigint as soft_cap
    from event e cross join lateral ${BODY}
    where ${OF_STREAM} and e.seq > $3::bigint and e.seq <= $4::bigint and e.type = 'LlmCallStarted'
      and d.body #>> '{report,base,view}' = $5 and ($6::text is null or e.run_id = $6)
    order by e.seq desc limit 1),
  bounds as materialized (
    select c.seq as call_seq, c.soft_cap, case when c.base -> 'shortening' = 'null' then c.mask_to end as mask_to,
      coalesce(least((c.base ->> 'needs_from')::bigint, c.seq, c.upto_seq + 1), $3::bigint + 1) as from_seq,
      translate(c.base ->> 'pinned_seqs', '[]', '{}')::bigint[] || (c.base #>> '{compaction,live,seq}')::bigint as singles
    from (select) here left join call c on true)
  select ${LIKELY.columns}
  from ${LIKELY.source}
  where ${OF_STREAM} and e.seq >= (select from_seq from bounds) and e.seq <= $4::bigint and e.seq + 0 = e.seq
    and (e.seq = (select call_seq from bounds) or ${ofView(query)})
  union all
  select e.* from unnest((select singles from bounds)) s (seq) cross join lateral (
    select ${WHOLE.columns} from ${WHOLE.source} where ${OF_STREAM} and e.seq = s.seq offset 0) e
  where s.seq < (select from_seq from bounds) and s.seq + 0 = s.seq`;
