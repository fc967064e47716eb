-- Runs that start later.
-- breaking: false

alter table run
  add column start_at timestamptz;
