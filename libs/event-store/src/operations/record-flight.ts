import type { AppendUnit } from '#libs/engine';
import { flightParameters } from '../append/flight-parameters.js';
import type { Session } from '../session.js';
import { storeBodies } from './store-bodies.js';

/**
 * Appends what a flight of works on runs has recorded: units without conditions, under the locks of their runs. What
 * `appendFlight` does for them, with less around it: nothing is looked up before and nothing answered.
 * Fails with 23505 on `event_by_id` when one of the events is stored already; the flight's works are then done one by one, by
 * the append that looks.
 */
export async function recordFlight(session: Session, units: readonly AppendUnit[]): Promise<void> {
  if (units.length === 0) return;
  const parameters = flightParameters(oneOfEachStream(units));
  await storeBodies(session, parameters.bodies);
  await session`
    with unit as materialized (
      select * from json_to_recordset((${parameters.units}::text)::json) as u(
        no integer, project_id text, stream_id text, events bigint, entries bigint)
    ),
    moved as (
      insert into stream as s (project_id, stream_id, version, entries)
      select project_id, stream_id, events, entries from unit order by project_id, stream_id
      on conflict (project_id, stream_id) do update
        set version = s.version + excluded.version, entries = s.entries + excluded.entries, updated_at = clock_timestamp()
      returning project_id, stream_id, version, entries
    )
    insert into event (project_id, stream_id, seq, event_id, type, schema_version, run_id, step_id, item, round, entry, data, payload_hash, digest, chars)
    select u.project_id, u.stream_id, m.version - u.events + e.n, e.event_id, e.type, e.schema_version, e.run_id, e.step_id, e.item, e.round,
      m.entries - u.entries + e.entry_n, e.data, e.payload_hash, e.digest, e.chars
    from unit u
    join moved m on m.project_id = u.project_id and m.stream_id = u.stream_id
    join json_to_recordset((${parameters.events}::text)::json) as e(
      unit integer, n integer, entry_n integer, event_id uuid, type text, schema_version smallint, run_id text, step_id text,
      item integer, round integer, data jsonb, payload_hash text, digest text, chars bigint) on e.unit = u.no
    order by e.unit, e.n`;
}

function oneOfEachStream(units: readonly AppendUnit[]): AppendUnit[] {
  const byStream = new Map<string, AppendUnit>();
  for (const unit of units) {
    const key = `${unit.projectId}\n${unit.streamId}`;
    const former = byStream.get(key);
    byStream.set(key, former === undefined ? unit : { ...former, events: [...former.events, ...unit.events] });
  }
  return [...byStream.values()];
}
