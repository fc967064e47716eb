import { z } from 'zod';
import { CATCH_UP_POLICIES, OVERLAP_POLICIES, parseDurationMs } from '#libs/domain';
import { pageQuery } from '../http/list-page.js';
import { count, line, time } from '../http/scalars.js';
import { runTemplate } from './run-template.schema.js';

/** Names stand in paths. */
export const triggerName = z
  .string()
  .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/, 'expected 1 to 100 of A-Z a-z 0-9 . _ -');

const duration = z
  .string()
  .refine((text) => parseDurationMs(text) !== null, 'expected a duration such as "90m" or "2d", at most 366 days');

export const scheduleBody = z
  .strictObject({
    cron: line(200),
    timezone: line(64).default('UTC'),
    start: runTemplate,
    overlap: z.enum(OVERLAP_POLICIES).default('skip'),
    catch_up: z.enum(CATCH_UP_POLICIES).default('latest'),
    catch_up_window: duration.default('1d'),
  })
  .refine((body) => body.overlap !== 'queue' || body.catch_up !== 'skip', {
    path: ['catch_up'],
    message: 'expected latest or all beside overlap: queue, since a tick that waits comes late',
  })
  .meta({ id: 'PutSchedule' });
export type ScheduleBody = z.output<typeof scheduleBody>;

const tick = z
  .object({
    at: time,
    outcome: z.enum(['started', 'skipped', 'missed', 'failed']),
    manual: z.boolean(),
    ticks: count,
    run_id: z.string().nullable(),
    detail: z.string().nullable(),
    recorded_at: time,
  })
  .meta({ id: 'Tick', description: '`ticks`: of missed ones, how many from `at` on. `detail`: why none was started.' });
export type Tick = z.output<typeof tick>;
export const tickSchema = tick;

export const schedule = z
  .object({
    name: z.string(),
    cron: z.string(),
    timezone: z.string(),
    start: runTemplate,
    overlap: z.enum(OVERLAP_POLICIES),
    catch_up: z.enum(CATCH_UP_POLICIES),
    catch_up_window_ms: count,
    paused_at: time.nullable(),
    next_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Schedule', description: '`next_at` null: its pattern has no tick any more.' });
export type Schedule = z.output<typeof schedule>;

export const scheduleListQuery = z.strictObject(pageQuery);
export const tickListQuery = z.strictObject(pageQuery);
const MOST_UPCOMING = 100;
export const upcomingQuery = z.strictObject({ count: z.coerce.number().int().min(1).max(MOST_UPCOMING).default(10) });

export const upcoming = z.object({ data: z.array(time) }).meta({ id: 'UpcomingTicks' });
export type Upcoming = z.output<typeof upcoming>;

export const scheduledRun = z.object({ run_id: z.string() }).meta({ id: 'ScheduledRun' });
export type ScheduledRun = z.output<typeof scheduledRun>;
