-- What loops ask about their elements (ADR 0038).
-- breaking: false

-- Only what loops are asked for by status. It serves no other question, so that an element is looked up by its key, whatever a plan
-- expects of a table that was small when it was made; and one that succeeds needs no entry.
drop index step_item_open;
create index step_item_open on step_item (project_id, step_run_id, status, item) where status in ('pending', 'running', 'failed');
