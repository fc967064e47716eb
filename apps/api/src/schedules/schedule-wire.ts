import type { ScheduleRecord, TickRecord } from '#libs/engine';
import type { Schedule, Tick } from './schedule.schema.js';

export function toSchedule(row: ScheduleRecord): Schedule {
  return {
    name: row.name,
    cron: row.cron,
    timezone: row.timezone,
    start: row.start,
    overlap: row.overlap,
    catch_up: row.catchUp,
    catch_up_window_ms: row.catchUpWindowMs,
    paused_at: row.pausedAt,
    next_at: row.nextAt,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

export function toTick(row: TickRecord): Tick {
  return {
    at: row.at,
    outcome: row.outcome,
    manual: row.isManual,
    ticks: row.ticks,
    run_id: row.runId,
    detail: row.detail,
    recorded_at: row.recordedAt,
  };
}
