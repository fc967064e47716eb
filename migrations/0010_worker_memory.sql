-- What a step's worker weighed at its last sign of life, for the diagnosis of a step that takes its workers down.
-- breaking: false

alter table step_run add column worker_bytes bigint;
