-- What works on runs have decided, written in one round trip (ADR 0034): a statement for each kind of change is sent, parsed and
-- answered by itself, and a transaction around them is two more.
-- breaking: false

/*
 * Writes the changes of many runs at once. Plans are kept by connections that live long, and mostly made while the tables are
 * small: rows of every part carry `"one": 1`, a condition on which makes the planner expect a single row, and no table is
 * scanned as a whole, so that rows are looked up by their keys whatever the tables looked like then. Keys of runs and steps are
 * their ids alone: beside the project's an index over that looks as good to a planner that knows nothing of the table. (A plan that
 * must scan looks dear enough to be compiled, in sessions of a pooler, which have not said no to that.)
 *
 * `version`: that of the rows that it wrote (their xmin).
 * `expected`: what the changes were decided by, where no lock was held meanwhile. The runs and then the steps are locked, each
 * sorted, and looked at again; a run that is not as expected any more comes back in `stale`, and then nothing was written. The
 * second look has a snapshot of its own, made after the locks (each statement in here has one). Without `expected` the caller
 * holds the locks. Streams come last.
 * `units` and `event_rows`: events to append without conditions, one unit of each stream. Fails with 23505 on `event_by_id` when one of the
 * events is stored already.
 * `announced`: events that webhooks may be told of; an expected run with one that an endpoint asks for counts as stale, because
 * deliveries have ids that only the caller can make.
 */
create function write_runs(changes jsonb, event_rows json, out wrote_at timestamptz, out version bigint, out stale text[])
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
begin
  wrote_at := clock_timestamp();
  version := pg_current_xact_id()::xid::text::bigint;

  if changes ? 'expected' then
    perform from (
      select e.project_id, e.run_id from jsonb_to_recordset(changes -> 'expected') as e(one integer, project_id text, run_id text, step_run_id text)
      where e.one = 1 and e.step_run_id is not null order by e.project_id, e.run_id
    ) e
    cross join lateral (select from run r where r.run_id = e.run_id for no key update) r;
    perform from (
      select e.project_id, e.step_run_id from jsonb_to_recordset(changes -> 'expected') as e(one integer, project_id text, step_run_id text)
      where e.one = 1 and e.step_run_id is not null order by e.project_id, e.step_run_id
    ) e
    cross join lateral (select from step_run s where s.step_run_id = e.step_run_id for no key update) s;
    select array_agg(e.run_id) into stale
    from jsonb_to_recordset(changes -> 'expected') as e(
      one integer, project_id text, run_id text, step_run_id text, status text, dispatch_no integer, fence bigint, run_version bigint,
      others integer, others_version bigint)
    where e.one = 1 and e.step_run_id is not null and not exists (
      select from run r, step_run s
      where r.run_id = e.run_id and r.xmin::text::bigint = e.run_version
        and s.step_run_id = e.step_run_id and s.fence = e.fence and s.status = e.status
        and s.dispatch_no = e.dispatch_no
        and (e.others, e.others_version) = (
          select count(*)::integer, coalesce(sum(o.xmin::text::bigint), 0)::bigint from step_run o
          where o.project_id = e.project_id and o.run_id = e.run_id and o.step_run_id <> e.step_run_id)
    );
    if stale is null and changes ? 'announced' then
      select array_agg(a.run_id) into stale
      from jsonb_to_recordset(changes -> 'announced') as a(one integer, project_id text, run_id text, type text)
      where a.one = 1 and exists (
        select from webhook_endpoint w where w.project_id = a.project_id and w.disabled_at is null and a.type = any(w.event_types));
    end if;
    if stale is not null then return; end if;
  end if;

  if changes ? 'new_runs' then
    insert into run (project_id, run_id, pipeline, pipeline_version, stream_id, status, status_reason, inputs, tags, metadata, priority,
      on_busy, exclusive, deadline_at, timeout_ms, timeout_at, ancestors, parent_step_run_id, spend_limit, concurrency_key, concurrency_limit,
      start_at, created_at, started_at, traceparent)
    select r.project_id, r.run_id, r.pipeline, r.pipeline_version, r.stream_id, case when r.is_started then 'running' else 'queued' end,
      r.status_reason, r.inputs, r.tags, r.metadata, r.priority, r.on_busy, r.exclusive, r.deadline_at, r.timeout_ms,
      case when r.is_started then least(r.deadline_at, wrote_at + r.timeout_ms * interval '1 millisecond') else r.deadline_at end,
      r.ancestors, r.parent_step_run_id, r.spend_limit, r.concurrency_key, r.concurrency_limit,
      wrote_at + r.delay_ms * interval '1 millisecond', coalesce(r.created_at, wrote_at), case when r.is_started then wrote_at end, r.traceparent
    from jsonb_to_recordset(changes -> 'new_runs') as r(
      project_id text, run_id text, pipeline text, pipeline_version integer, stream_id text, status_reason text, is_started boolean,
      inputs jsonb, tags text[], metadata jsonb, priority integer, on_busy text, exclusive boolean, deadline_at timestamptz,
      timeout_ms bigint, ancestors text[], parent_step_run_id text, spend_limit jsonb, concurrency_key text,
      concurrency_limit integer, delay_ms bigint, created_at timestamptz, traceparent text);
  end if;

  if changes ? 'succeeded' then
    update step_run t set status = 'succeeded', reason = null, output = u.output, error = null, ended_at = clock_timestamp(),
      lease_until = null, worker_id = null, waiting_key = null, waiting_since = null, due_at = null,
      tool_calls = t.tool_calls + u.more_tool_calls,
      fence = case when u.began_ms_ago is null then t.fence else 1 end,
      starts = t.starts + case when u.began_ms_ago is null then 0 else 1 end,
      started_at = coalesce(t.started_at, clock_timestamp() - u.began_ms_ago * interval '1 millisecond')
    from jsonb_to_recordset(changes -> 'succeeded') as u(
      one integer, project_id text, step_run_id text, output jsonb, more_tool_calls integer, began_ms_ago float8)
    where u.one = 1 and t.step_run_id = u.step_run_id;
  end if;

  -- First rows. Their lane is that of the outermost run: its concurrency key, or else its pipeline.
  if changes ? 'new_steps' then
    insert into step_run (project_id, step_run_id, run_id, step_id, item, round, kind, status, attempt, priority, timeout_ms, ended_at, reason,
      waiting_key, waiting_since, started_at, timeout_at, dispatched_at, fence, starts, worker_id, worker_bytes, lease_until, lane)
    select s.project_id, s.step_run_id, s.run_id, s.step_id, s.item, s.round, s.kind, s.status, 1, s.priority, s.timeout_ms,
      case when s.status = 'skipped' then clock_timestamp() end, s.reason, s.waiting_key,
      case when s.status = 'waiting' then clock_timestamp() end, case when s.status in ('waiting', 'running') then clock_timestamp() end,
      case when s.status in ('waiting', 'running') then clock_timestamp() + s.timeout_ms * interval '1 millisecond' end,
      case when s.is_dispatched or s.status = 'running' then now() end, (s.status = 'running')::integer, (s.status = 'running')::integer,
      s.worker_id, s.worker_bytes, clock_timestamp() + s.lease_ms * interval '1 millisecond',
      coalesce(s.lane, (
        select coalesce(root.concurrency_key, root.pipeline) from run own
        join run root on root.run_id = coalesce(own.ancestors[1], own.run_id) where own.run_id = s.run_id
      ))
    from jsonb_to_recordset(changes -> 'new_steps') as s(
      project_id text, step_run_id text, run_id text, step_id text, item integer, round integer, kind text, status text, priority integer,
      timeout_ms bigint, reason text, waiting_key text, is_dispatched boolean, worker_id text, worker_bytes bigint, lease_ms float8, lane text);
  end if;

  if changes ? 'new_items' then
    insert into step_item (project_id, step_run_id, item, status, value, started_at)
    select l.project_id, l.step_run_id, (v.ordinality - 1)::integer, case when v.ordinality <= l.running then 'running' else 'pending' end,
      v.value, case when v.ordinality <= l.running then clock_timestamp() end
    from jsonb_to_recordset(changes -> 'new_items') as l(project_id text, step_run_id text, running integer, items jsonb),
      jsonb_array_elements(l.items) with ordinality v;
  end if;

  if changes ? 'started_items' then
    update step_item t set status = 'running', started_at = clock_timestamp()
    from jsonb_to_recordset(changes -> 'started_items') as u(one integer, project_id text, step_run_id text, item integer)
    where u.one = 1 and t.project_id = u.project_id and t.step_run_id = u.step_run_id and t.item = u.item;
  end if;

  if changes ? 'ended_items' then
    update step_item t set status = u.status, ended_at = clock_timestamp(), output = u.output, error = u.error
    from jsonb_to_recordset(changes -> 'ended_items') as u(
      one integer, project_id text, step_run_id text, item integer, status text, output jsonb, error jsonb)
    where u.one = 1 and t.project_id = u.project_id and t.step_run_id = u.step_run_id and t.item = u.item;
  end if;

  if changes ? 'changed_runs' then
    update run t set status = u.status, status_reason = u.status_reason,
      output = case when u.sets_output then u.output else t.output end,
      error = case when u.sets_error then u.error else t.error end,
      started_at = case when u.started then coalesce(t.started_at, clock_timestamp()) else t.started_at end,
      timeout_at = case when u.started
        then least(t.deadline_at, coalesce(t.started_at, clock_timestamp()) + t.timeout_ms * interval '1 millisecond') else t.timeout_at end,
      ended_at = case when u.ended then clock_timestamp() else t.ended_at end
    from jsonb_to_recordset(changes -> 'changed_runs') as u(
      one integer, project_id text, run_id text, status text, status_reason text, started boolean, ended boolean,
      sets_output boolean, sets_error boolean, output jsonb, error jsonb)
    where u.one = 1 and t.run_id = u.run_id;
  end if;

  if changes ? 'taken' then
    insert into stream_hold (project_id, stream_id, run_id, mode)
    select h.project_id, h.stream_id, h.run_id, case when h.exclusive then 'exclusive' else 'shared' end
    from jsonb_to_recordset(changes -> 'taken') as h(project_id text, stream_id text, run_id text, exclusive boolean);
  end if;

  if changes ? 'released' then
    delete from stream_hold t
    using jsonb_to_recordset(changes -> 'released') as h(one integer, project_id text, stream_id text, run_id text)
    where h.one = 1 and t.project_id = h.project_id and t.stream_id = h.stream_id and t.run_id = h.run_id;
  end if;

  if changes ? 'bodies' then
    insert into payload (project_id, hash, body, bytes)
    select distinct on (project_id, hash) project_id, hash, body, bytes
    from jsonb_to_recordset(changes -> 'bodies') as b(project_id text, hash text, body jsonb, bytes bigint)
    order by project_id, hash
    on conflict do nothing;
  end if;

  if changes ? 'units' then
    with unit as materialized (
      select * from jsonb_to_recordset(changes -> 'units') as u(no integer, project_id text, stream_id text, events bigint, entries bigint)
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
    join json_to_recordset(event_rows) as e(
      unit integer, n integer, entry_n integer, event_id uuid, type text, schema_version smallint, run_id text, step_id text,
      item integer, round integer, data jsonb, payload_hash text, digest text, chars bigint) on e.unit = u.no
    order by e.unit, e.n;
  end if;
end
$$;
