-- Runnable steps wait by priority and, within one, in lanes that take turns: one per concurrency key (of the outermost run;
-- of runs without a key, their pipeline) of each project.
-- breaking: false

alter table step_run add column lane text not null default '';

-- Rows of the migrations before: what has not been dispatched gets its lane, the others never need one again before they
-- are made runnable anew, and then share the lane ''.
update step_run s set lane = coalesce(root.concurrency_key, root.pipeline)
from run own join run root on root.project_id = own.project_id and root.run_id = coalesce(own.ancestors[1], own.run_id)
where own.project_id = s.project_id and own.run_id = s.run_id and s.ended_at is null;

drop index step_run_outbox;
create index step_run_outbox on step_run (priority desc, project_id, lane, queued_at)
  where status = 'queued' and dispatched_at is null;
