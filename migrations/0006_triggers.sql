-- Schedules, webhooks out (endpoints and their ledger), webhooks in (hooks and what they received).
-- breaking: false

create table schedule (
  project_id text not null references project,
  name text not null,
  cron text not null,
  timezone text not null,
  overlap text not null check (overlap in ('skip','allow','queue','cancel')),
  catch_up text not null check (catch_up in ('skip','latest','all')),
  catch_up_window_ms bigint not null,
  -- What a tick starts: pipeline, version, inputs, stream_id, tags, metadata, priority.
  start jsonb not null,
  -- Raised by each change: a start that was prepared for another one is given up.
  revision integer not null default 1,
  paused_at timestamptz,
  -- The earliest tick that was neither started nor passed over; null: there is none any more.
  next_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project_id, name)
);
create index schedule_due on schedule (next_at) where paused_at is null and next_at is not null;

-- One row a tick: its key is why no two processes start the same one.
create table schedule_tick (
  project_id text not null,
  name text not null,
  tick_at timestamptz not null,
  outcome text not null check (outcome in ('started','skipped','missed','failed')),
  is_manual boolean not null default false,
  -- Of missed ones: how many from tick_at on.
  ticks integer not null default 1,
  run_id text,
  detail text,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (project_id, name, tick_at),
  foreign key (project_id, name) references schedule on delete cascade
);

create table webhook_endpoint (
  project_id text not null references project,
  endpoint_id text not null,
  url text not null,
  description text,
  event_types text[] not null,
  include_content boolean not null default false,
  -- [{secret, expires_at}], the newest first: they sign side by side while they overlap.
  secrets jsonb not null,
  disabled_at timestamptz,
  disabled_reason text,
  -- Since the last delivery that was taken.
  failing_since timestamptz,
  failures integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project_id, endpoint_id)
);
create index webhook_endpoint_enabled on webhook_endpoint (project_id) where disabled_at is null;

-- The ledger: written in the transaction of the event that it announces.
create table webhook_delivery (
  project_id text not null,
  delivery_id text not null,
  endpoint_id text not null,
  -- Null for test deliveries.
  event_id uuid,
  event_type text not null,
  run_id text,
  status text not null default 'pending' check (status in ('pending','delivered','dead')),
  attempt integer not null default 0,
  -- When the next attempt is due; while one is under way, when it counts as lost.
  due_at timestamptz not null default now(),
  last_status integer,
  last_error text,
  created_at timestamptz not null default clock_timestamp(),
  last_attempt_at timestamptz,
  ended_at timestamptz,
  primary key (project_id, delivery_id),
  foreign key (project_id, endpoint_id) references webhook_endpoint on delete cascade
);
create unique index webhook_delivery_of_event on webhook_delivery (project_id, endpoint_id, event_id);
create index webhook_delivery_list on webhook_delivery (project_id, endpoint_id, created_at desc, delivery_id desc);
create index webhook_delivery_due on webhook_delivery (project_id, endpoint_id, due_at) where status = 'pending';
create index webhook_delivery_dead on webhook_delivery (project_id, endpoint_id, ended_at) where status = 'dead';
create index webhook_delivery_ended on webhook_delivery (ended_at) where status = 'delivered';

create table hook (
  project_id text not null references project,
  name text not null,
  -- Stands in the URL that senders use: they do not know the project.
  hook_id text not null,
  verification jsonb not null,
  secrets jsonb not null,
  delivery_id_template text,
  condition text,
  -- {start: …} or {signal: …}
  action jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project_id, name)
);
create unique index hook_by_id on hook (hook_id);

-- What senders delivered, by their own id (as SHA-256, hex): the same one again does nothing.
create table hook_delivery (
  project_id text not null,
  name text not null,
  delivery_hash text not null,
  outcome text not null check (outcome in ('started','signalled','ignored')),
  run_id text,
  signal_id text,
  received_at timestamptz not null default clock_timestamp(),
  primary key (project_id, name, delivery_hash),
  foreign key (project_id, name) references hook on delete cascade
);
create index hook_delivery_age on hook_delivery (received_at);
