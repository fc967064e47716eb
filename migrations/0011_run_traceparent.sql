-- The trace that a run belongs to (W3C traceparent): its steps join it, in whatever process they run.
-- breaking: false

alter table run add column traceparent text;
