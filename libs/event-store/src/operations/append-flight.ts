import type { AppendUnit } from '#libs/engine';
import { conditionedUnit, flightParameters } from '../append/flight-parameters.js';
import type { Session } from '../session.js';
import { storeBodies } from './store-bodies.js';

/**
 * What became of a unit. `known`: an event with one of its ids is stored already. Not `admitted`: its fence does not
 * hold. Admitted without `version`: the stream has another version than expected. `version` and `entriesBefore` are the
 * stream's after and before the unit.
 */
export type FlightRow = {
  no: number;
  known: boolean;
  admitted: boolean;
  version: number | null;
  entriesBefore: number | null;
  positions: number[] | null;
};

/**
 * One statement for all units of a flight (see takeFlight). Locks: step runs, compactions, streams, each in sorted order
 * (the CTEs depend on each other in that order). Numbers come from the stream rows, which the upsert locks and moves
 * at once; its WHERE sees the locked, latest row, so that a version is compared after any wait for the lock.
 * Its plan is made once per connection, mostly while the tables are small. Look-ups are therefore lateral or scalar: as joins
 * the planner would hash whole tables, which is cheap that day only.
 * A flight without fences (works on runs, which hold their locks) leaves out what belongs to fences: setting up a part of a
 * statement costs as much as running it over few rows.
 * Fails with 23505 on `event_by_id` when another transaction committed one of the ids meanwhile.
 */
export async function appendFlight(session: Session, units: readonly AppendUnit[]): Promise<FlightRow[]> {
  const parameters = flightParameters(units, conditionedUnit);
  await storeBodies(session, parameters.bodies);
  const isFenced = units.some(({ fence }) => fence !== undefined);
  const nothing = session``;
  return session<FlightRow[]>`
    with ${unitRows(session, parameters.units, isFenced)}
    ${isFenced ? heldRows(session) : nothing},
    ${numbering(session, isFenced)},
    ${writing(session, parameters.events)}
    ${isFenced ? spending(session) : nothing}
    select u.no, u.known, a.no is not null as admitted, (p.first_seq + p.events)::bigint as version, p.first_entry::bigint as "entriesBefore",
      w.positions[(p.events_before + 1)::integer : (p.events_before + p.events)::integer] as positions
    from unit u
    left join admitted a on a.no = u.no
    left join placed p on p.no = u.no
    left join positions w on w.project_id = u.project_id and w.stream_id = u.stream_id
    order by u.no`;
}

/** The units, and whether they are stored. */
function unitRows(session: Session, units: string, isFenced: boolean) {
  const fences = session`, fence_kind text, fence_id text, fence bigint, spends boolean, input_tokens bigint, cached_tokens bigint,
        output_tokens bigint, cost_usd numeric, model_calls integer, tool_calls integer`;
  return session`
    unit as materialized (
      select u.*, exists (
        select from unnest(u.event_ids) as id
        cross join lateral (select from event e where e.project_id = u.project_id and e.event_id = id limit 1) e
      ) as known
      from jsonb_to_recordset((${units}::text)::jsonb) as u(
        no integer, project_id text, stream_id text, expected bigint, events integer, entries integer, event_ids uuid[]${isFenced ? fences : session``})
    )`;
}

/** The fences: rows that other transactions wrote meanwhile are seen as they are now. */
function heldRows(session: Session) {
  return session`,
    held_step as materialized (
      select s.* from (select distinct fence_id from unit where fence_kind = 'step' and not known order by fence_id) u
      cross join lateral (
        select r.project_id, r.step_run_id, r.status, r.fence from step_run r
        where r.step_run_id = u.fence_id for no key update
      ) s
    ),
    held_compaction as materialized (
      select c.* from (
        select distinct fence_id from unit
        where fence_kind = 'compaction' and not known and (select count(*) from held_step) >= 0
        order by fence_id
      ) u
      cross join lateral (
        select r.project_id, r.compaction_id, r.status, r.fence from compaction r
        where r.compaction_id = u.fence_id for no key update
      ) c
    )`;
}

/** The units whose fence holds, and their places in the streams. */
function numbering(session: Session, isFenced: boolean) {
  const holds = session` and case u.fence_kind
        when 'step' then exists (select from held_step h where h.project_id = u.project_id and h.step_run_id = u.fence_id and h.fence = u.fence and h.status = 'running')
        when 'compaction' then exists (select from held_compaction h where h.project_id = u.project_id and h.compaction_id = u.fence_id and h.fence = u.fence and h.status = 'running')
        else true end`;
  return session`
    admitted as materialized (
      select u.*, sum(u.events) over earlier - u.events as events_before, sum(u.entries) over earlier - u.entries as entries_before
      from unit u
      where not u.known${isFenced ? holds : session``}
      window earlier as (partition by u.project_id, u.stream_id order by u.no)
    ),
    target as materialized (
      select project_id, stream_id, sum(events) as events, sum(entries) as entries, max(expected) as expected
      from admitted group by project_id, stream_id
    ),
    moved as (
      insert into stream as s (project_id, stream_id, version, entries)
      select t.project_id, t.stream_id, t.events, t.entries from target t
      where coalesce(t.expected, 0) = 0 or (select x.version from stream x where x.project_id = t.project_id and x.stream_id = t.stream_id) is not null
      order by t.project_id, t.stream_id
      on conflict (project_id, stream_id) do update
        set version = s.version + excluded.version, entries = s.entries + excluded.entries, updated_at = clock_timestamp()
        where not exists (select from target t where t.project_id = s.project_id and t.stream_id = s.stream_id and t.expected <> s.version)
      returning s.project_id, s.stream_id, s.version, s.entries
    ),
    placed as materialized (
      select a.*, m.version - t.events + a.events_before as first_seq, m.entries - t.entries + a.entries_before as first_entry
      from admitted a
      join target t on t.project_id = a.project_id and t.stream_id = a.stream_id
      join moved m on m.project_id = a.project_id and m.stream_id = a.stream_id
    )`;
}

/** The events, and the positions they got, by stream in order of seq. */
function writing(session: Session, events: string) {
  return session`
    written as (
      insert into event (project_id, stream_id, seq, event_id, type, schema_version, run_id, step_id, item, round, entry, data, payload_hash, digest, chars)
      select p.project_id, p.stream_id, p.first_seq + e.n, e.event_id, e.type, e.schema_version, e.run_id, e.step_id, e.item, e.round,
        p.first_entry + e.entry_n, e.data, e.payload_hash, e.digest, e.chars
      from placed p
      join jsonb_to_recordset((${events}::text)::jsonb) as e(
        unit integer, n integer, entry_n integer, event_id uuid, type text, schema_version smallint, run_id text, step_id text,
        item integer, round integer, data jsonb, payload_hash text, digest text, chars bigint) on e.unit = p.no
      order by e.unit, e.n
      returning project_id, stream_id, seq, position
    ),
    positions as (
      select project_id, stream_id, array_agg(position order by seq) as positions from written group by project_id, stream_id
    )`;
}

/** Usage counters of those whose fence it was. */
function spending(session: Session) {
  return session`,
    spent_by_step as (
      update step_run s set
        input_tokens = s.input_tokens + d.input_tokens, cached_tokens = s.cached_tokens + d.cached_tokens,
        output_tokens = s.output_tokens + d.output_tokens, cost_usd = s.cost_usd + d.cost_usd,
        model_calls = s.model_calls + d.model_calls, tool_calls = s.tool_calls + d.tool_calls
      from (
        select fence_id, sum(input_tokens) as input_tokens, sum(cached_tokens) as cached_tokens, sum(output_tokens) as output_tokens,
          sum(cost_usd) as cost_usd, sum(model_calls) as model_calls, sum(tool_calls) as tool_calls
        from placed where fence_kind = 'step' and spends group by fence_id
      ) d
      where s.step_run_id = d.fence_id
    ),
    spent_by_compaction as (
      update compaction c set
        input_tokens = c.input_tokens + d.input_tokens, cached_tokens = c.cached_tokens + d.cached_tokens,
        output_tokens = c.output_tokens + d.output_tokens, cost_usd = c.cost_usd + d.cost_usd, model_calls = c.model_calls + d.model_calls
      from (
        select fence_id, sum(input_tokens) as input_tokens, sum(cached_tokens) as cached_tokens,
          sum(output_tokens) as output_tokens, sum(cost_usd) as cost_usd, sum(model_calls) as model_calls
        from placed where fence_kind = 'compaction' and spends group by fence_id
      ) d
      where c.compaction_id = d.fence_id
    )`;
}
