-- Steps that stopped at a turn boundary: the sweeper looks whether they may go on.
-- breaking: false

create index step_run_parked on step_run (reason) where status = 'waiting' and reason in ('paused','spend_limit');
