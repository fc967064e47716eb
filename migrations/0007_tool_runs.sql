-- Runs that tools of agents start: found by their step also when they have ended.
-- breaking: false

create index run_children on run (parent_step_run_id) where parent_step_run_id is not null;
