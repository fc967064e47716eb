-- What metrics of compactions are read from: the time that steps waited for one, and whether models were asked for it and
-- gave nothing usable (the breaker of a view counts those since its last good one).
-- breaking: false

alter table compaction
  add column waits integer not null default 0,
  add column waited_ms bigint not null default 0,
  add column models_failed boolean not null default false;
