-- Loops, approvals, signals, child runs, pauses, spend limits, concurrency keys.
-- breaking: false

alter table run
  -- The runs around a child run, outermost first.
  add column ancestors text[] not null default '{}',
  add column parent_step_run_id text,
  add column spend_limit jsonb,
  add column paused_at timestamptz,
  -- SHA-256 (hex) of the rendered key: keys may be of any length and hold anything.
  add column concurrency_key text,
  add column concurrency_limit integer;
create index run_by_ancestor on run using gin (ancestors) where ancestors <> '{}';
create index run_by_parent on run (parent_step_run_id) where parent_step_run_id is not null and ended_at is null;
create index run_by_concurrency on run (project_id, pipeline, concurrency_key, created_at, run_id) where concurrency_key is not null and ended_at is null;

alter table step_run
  -- What a waiting step waits for (an approval's, run's or compaction's id, a signal's name and key), and since when.
  add column waiting_key text,
  add column waiting_since timestamptz;

-- The elements of a for_each: each is read by the steps of its own item only.
create table step_item (
  project_id text not null,
  step_run_id text not null,
  item integer not null,
  status text not null check (status in ('pending','running','succeeded','failed','cancelled')),
  value jsonb,
  output jsonb,
  error jsonb,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (project_id, step_run_id, item),
  foreign key (project_id, step_run_id) references step_run on delete cascade
);
create index step_item_open on step_item (project_id, step_run_id, status, item);

create table approval (
  project_id text not null,
  approval_id text not null,
  run_id text not null,
  step_run_id text not null,
  step_id text not null,
  item integer,
  round integer not null default 0,
  -- Of a tool's call: which one; null for approval steps.
  call_no integer,
  ordinal integer,
  kind text not null check (kind in ('step','tool','unknown_outcome')),
  status text not null check (status in ('pending','approved','denied','cancelled')),
  prompt text not null,
  form_schema jsonb,
  tool text,
  arguments text,
  due_at timestamptz,
  decision_form jsonb,
  decision_comment text,
  decision_arguments text,
  decided_by text,
  requested_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  primary key (project_id, approval_id),
  foreign key (project_id, run_id) references run on delete cascade
);
create index approval_list on approval (project_id, requested_at desc, approval_id desc);
create index approval_pending on approval (project_id, requested_at desc, approval_id desc) where status = 'pending';
create index approval_of_step on approval (project_id, step_run_id);

-- Signals that came: one wakes one wait, the oldest first.
create table signal_inbox (
  project_id text not null references project,
  signal_id text not null,
  name text not null,
  key text not null,
  -- SHA-256 (hex) of name and key.
  wait_key text not null,
  payload jsonb,
  sent_at timestamptz not null default clock_timestamp(),
  taken_by text,
  taken_at timestamptz,
  primary key (project_id, signal_id)
);
create index signal_untaken on signal_inbox (project_id, wait_key, sent_at, signal_id) where taken_at is null;
