-- Fewer index entries and bytes of WAL a step (ADR 0030). A claim changes no column that an index knows, so that the new version
-- of the row needs no entry in any of them (HOT): partial indexes ask generated columns, whose values a claim leaves alone,
-- instead of `status`.
-- breaking: false

-- The queue knows a step by its id alone, hence the id first; one index serves look-ups with and without the project.
alter table wait drop constraint wait_project_id_step_run_id_fkey;
alter table step_item drop constraint step_item_project_id_step_run_id_fkey;
alter table step_run drop constraint step_run_pkey, add primary key (step_run_id, project_id);
drop index step_run_by_id;
alter table wait add foreign key (project_id, step_run_id) references step_run (project_id, step_run_id) on delete cascade;
alter table step_item add foreign key (project_id, step_run_id) references step_run (project_id, step_run_id) on delete cascade;

alter table approval drop constraint approval_project_id_run_id_fkey;
alter table step_run drop constraint step_run_project_id_run_id_fkey;
alter table run drop constraint run_pkey, add primary key (run_id, project_id);
drop index run_by_id;
alter table approval add foreign key (project_id, run_id) references run (project_id, run_id) on delete cascade;
alter table step_run add foreign key (project_id, run_id) references run (project_id, run_id) on delete cascade;

drop index step_run_outbox, step_run_dispatched, step_run_leases, step_run_due, step_run_timeouts, step_run_parked;
alter table step_run
  -- Runnable, and not yet handed to the queue.
  add column in_outbox boolean not null generated always as (status = 'queued' and dispatched_at is null) stored,
  -- In the queue or with a worker: never more than queue and workers hold.
  add column handed_out boolean not null
    generated always as (status = 'running' or (status = 'queued' and dispatched_at is not null)) stored,
  -- The attempt's time-out while nobody has the step.
  add column idle_timeout_at timestamptz generated always as (
    case when ended_at is null and status <> 'running' and (status <> 'queued' or dispatched_at is null) then timeout_at end) stored,
  add column parked_reason text generated always as (
    case when status = 'waiting' and reason in ('paused', 'spend_limit') then reason end) stored;
create index step_run_outbox on step_run (priority desc, project_id, lane, queued_at) where in_outbox;
create index step_run_handed_out on step_run (project_id) where handed_out;
create index step_run_due on step_run (due_at) where due_at is not null;
create index step_run_idle_timeouts on step_run (idle_timeout_at) where idle_timeout_at is not null;
create index step_run_parked on step_run (parked_reason) where parked_reason is not null;
-- Room on the page for the versions that claims and heartbeats make.
alter table step_run set (fillfactor = 70);

-- Nothing reads the feed of a whole project.
drop index event_feed;

drop index run_by_tag;
create index run_by_tag on run using gin (tags) where tags <> '{}';
