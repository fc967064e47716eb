-- How often something of a stream was erased: what a worker has kept of it counts no more.
-- breaking: false

alter table stream add column erasures integer not null default 0;
