-- Core tables. project_id stands first in every key: a project is the unit of isolation (and, later, of partitioning).
-- Of indexes that look equally cheap the planner takes the one made last, and on a table that was never analysed any index
-- with project_id in front looks like that. So the unique index by id comes last of its table.
-- breaking: false

create table project (
  project_id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table api_key (
  project_id text not null references project,
  key_id text not null,
  name text not null,
  secret_hash text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (project_id, key_id)
);
-- A request names the key before its project is known.
create unique index api_key_by_id on api_key (key_id);

create table pipeline (
  project_id text not null references project,
  name text not null,
  latest_version integer not null default 0,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (project_id, name)
);

create table pipeline_version (
  project_id text not null,
  name text not null,
  version integer not null,
  document jsonb not null,
  content_hash text not null,
  created_at timestamptz not null default now(),
  primary key (project_id, name, version),
  foreign key (project_id, name) references pipeline
);

create table pipeline_alias (
  project_id text not null,
  name text not null,
  alias text not null,
  version integer not null,
  weight integer not null default 100,
  updated_at timestamptz not null default now(),
  primary key (project_id, name, alias),
  foreign key (project_id, name, version) references pipeline_version
);

create table stream (
  project_id text not null,
  stream_id text not null,
  version bigint not null default 0,
  entries bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project_id, stream_id)
);

-- Bodies over 32 KiB and manifests, once per project by SHA-256 (hex) of their canonical JSON.
create table payload (
  project_id text not null,
  hash text not null,
  body jsonb not null,
  bytes bigint not null,
  created_at timestamptz not null default now(),
  primary key (project_id, hash)
);

create table event (
  project_id text not null,
  stream_id text not null,
  seq bigint not null,
  position bigint generated always as identity,
  event_id uuid not null,
  type text not null,
  schema_version smallint not null,
  run_id text,
  step_id text,
  item integer,
  round integer not null default 0,
  entry bigint,
  data jsonb,
  payload_hash text,
  digest text not null,
  chars bigint not null default 0,
  xact xid8 not null default pg_current_xact_id(),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (project_id, stream_id, seq),
  check ((data is null) <> (payload_hash is null))
);
-- The feed: ordered by (xact, position) below pg_snapshot_xmin, so that it never skips a late commit.
create index event_feed on event (project_id, xact, position);
create index event_of_run on event (project_id, run_id, xact, position) where run_id is not null;
create unique index event_by_id on event (project_id, event_id);

create table run (
  project_id text not null references project,
  run_id text not null,
  pipeline text not null,
  pipeline_version integer not null,
  stream_id text not null,
  status text not null check (status in ('queued','running','waiting','cancelling','succeeded','failed','cancelled','timed_out','dead_letter')),
  status_reason text,
  inputs jsonb not null,
  output jsonb,
  error jsonb,
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  priority integer not null default 0,
  on_busy text not null default 'enqueue',
  exclusive boolean not null default true,
  deadline_at timestamptz,
  timeout_ms bigint,
  timeout_at timestamptz,
  cancel_requested_at timestamptz,
  cancel_reason text,
  -- How often the run was reopened (the retry verb); events of its end are told apart by it.
  generation integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (project_id, run_id),
  foreign key (project_id, pipeline, pipeline_version) references pipeline_version
);
create index run_list on run (project_id, created_at desc, run_id desc);
create index run_by_status on run (project_id, status, created_at desc, run_id desc);
create index run_by_pipeline on run (project_id, pipeline, created_at desc, run_id desc);
create index run_by_stream on run (project_id, stream_id, created_at, run_id);
-- Who is in line for a stream; an ended run never is.
create index run_line on run (project_id, stream_id, created_at, run_id) where ended_at is null;
create index run_by_tag on run using gin (tags);
-- What the sweeper looks for: deadlines, and queued runs whose stream may have become free.
create index run_due on run (timeout_at) where ended_at is null and timeout_at is not null;
create index run_open on run (status, created_at) where ended_at is null;
-- The poll for cancels knows run ids alone.
create unique index run_by_id on run (run_id);

-- Which runs hold a stream. A run that waits for the stream has no row here: its status is queued.
create table stream_hold (
  project_id text not null,
  stream_id text not null,
  run_id text not null,
  mode text not null check (mode in ('shared','exclusive')),
  acquired_at timestamptz not null default now(),
  primary key (project_id, stream_id, run_id)
);
create unique index stream_hold_exclusive on stream_hold (project_id, stream_id) where mode = 'exclusive';

create table step_run (
  project_id text not null,
  step_run_id text not null,
  run_id text not null,
  step_id text not null,
  item integer,
  round integer not null default 0,
  kind text not null,
  status text not null check (status in ('pending','queued','running','waiting','succeeded','failed','skipped','cancelled','timed_out','dead_letter')),
  reason text,
  attempt integer not null default 1,
  starts integer not null default 0,
  releases integer not null default 0,
  dispatch_no integer not null default 1,
  dispatched_at timestamptz,
  priority integer not null default 0,
  fence bigint not null default 0,
  lease_until timestamptz,
  worker_id text,
  -- Lease expiries in a row without a new event between, and where the step's log stood at the last one.
  stalls integer not null default 0,
  stall_position bigint,
  cutoff_seq bigint,
  memory_seq bigint,
  manifest text,
  output jsonb,
  error jsonb,
  due_at timestamptz,
  -- Of one attempt; the claim that starts the attempt makes timeout_at of it.
  timeout_ms bigint,
  timeout_at timestamptz,
  input_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd numeric not null default 0,
  model_calls integer not null default 0,
  tool_calls integer not null default 0,
  queued_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (project_id, step_run_id),
  foreign key (project_id, run_id) references run on delete cascade
);
create unique index step_run_place on step_run (project_id, run_id, step_id, coalesce(item, -1), round);
-- The outbox: what is runnable and not yet in the queue.
create index step_run_outbox on step_run (priority desc, queued_at) where status = 'queued' and dispatched_at is null;
create index step_run_dispatched on step_run (dispatched_at) where status = 'queued' and dispatched_at is not null;
create index step_run_leases on step_run (lease_until) where status = 'running';
create index step_run_due on step_run (due_at) where status = 'waiting' and due_at is not null;
create index step_run_timeouts on step_run (timeout_at) where ended_at is null and timeout_at is not null;
-- Jobs carry the step run's id alone.
create unique index step_run_by_id on step_run (step_run_id);

-- Timers, signals, approvals, compactions and children that steps wait for.
create table wait (
  project_id text not null,
  step_run_id text not null,
  kind text not null,
  key text not null,
  due_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (project_id, step_run_id, kind, key),
  foreign key (project_id, step_run_id) references step_run on delete cascade
);
create index wait_by_key on wait (project_id, kind, key);
create index wait_due on wait (due_at) where due_at is not null;

create table compaction (
  project_id text not null,
  compaction_id text not null,
  stream_id text not null,
  run_id text,
  step_id text,
  item integer,
  view_run_id text,
  cutoff_seq bigint not null,
  status text not null check (status in ('requested','running','compacted','skipped','discarded','failed','rolled_back')),
  reason text not null,
  range_lo bigint not null,
  range_hi bigint not null,
  entry_lo bigint not null,
  entry_hi bigint not null,
  supersedes text,
  live boolean not null default false,
  manifest text not null,
  policy_hash text not null,
  max_summary_chars integer not null,
  chars_before bigint,
  chars_after bigint,
  bytes_saved bigint,
  summary text,
  summarizer_model text,
  extractive boolean not null default false,
  source_digest text,
  attempts jsonb not null default '[]',
  attempt integer not null default 1,
  starts integer not null default 0,
  dispatch_no integer not null default 1,
  dispatched_at timestamptz,
  priority integer not null default 0,
  fence bigint not null default 0,
  lease_until timestamptz,
  worker_id text,
  due_at timestamptz,
  input_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd numeric not null default 0,
  model_calls integer not null default 0,
  queued_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  primary key (project_id, compaction_id)
);
-- No two open compactions of one view.
create unique index compaction_open on compaction (project_id, stream_id, coalesce(view_run_id, '')) where status in ('requested','running');
create index compaction_by_stream on compaction (project_id, stream_id, queued_at desc);
-- Summaries that were paid for once.
create index compaction_by_digest on compaction (project_id, source_digest) where source_digest is not null;
create index compaction_by_run on compaction (project_id, run_id);
create index compaction_outbox on compaction (priority desc, queued_at) where status = 'requested' and dispatched_at is null;
create index compaction_dispatched on compaction (dispatched_at) where status = 'requested' and dispatched_at is not null;
create index compaction_leases on compaction (lease_until) where status = 'running';
create unique index compaction_by_id on compaction (compaction_id);

-- The effects journal: one row per keyed tool effect, so that a key is used once.
create table tool_effect (
  project_id text not null,
  effect_key text not null,
  run_id text not null,
  step_id text not null,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  primary key (project_id, effect_key)
);

create table recording (
  project_id text not null references project,
  name text not null,
  hash text not null,
  bytes bigint not null,
  created_at timestamptz not null default now(),
  primary key (project_id, name),
  foreign key (project_id, hash) references payload
);

create table idempotency_key (
  project_id text not null,
  scope text not null,
  key text not null,
  request_hash text not null,
  status smallint,
  body jsonb,
  created_at timestamptz not null default now(),
  primary key (project_id, scope, key)
);

create table audit_log (
  project_id text not null,
  audit_id bigint generated always as identity,
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}',
  recorded_at timestamptz not null default now(),
  primary key (project_id, audit_id)
);

-- Facts about the installation that all processes share: which queue backend, its epoch.
create table installation (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);
