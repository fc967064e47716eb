import { z } from 'zod';
import { RUN_STATUSES } from '#libs/domain';
import { count } from '../http/scalars.js';

export const deadLetterEnded = z
  .object({ id: z.string(), run_id: z.string(), status: z.enum(RUN_STATUSES) })
  .meta({ id: 'DeadLetterSettled', description: '`status` is that of its run now.' });
export type DeadLetterEnded = z.output<typeof deadLetterEnded>;

export const faults = z
  .object({
    expired_leases: count,
    lost_jobs: count,
    due_waits: count,
    overdue_runs: count,
    overdue_steps: count,
    startable_runs: count,
    stuck_runs: count,
  })
  .meta({ id: 'Faults', description: 'What the next sweep would mend. All of them are 0 most of the time.' });
export type FaultCounts = z.output<typeof faults>;

export const mended = z
  .object({
    expired_leases: count,
    redispatched: count,
    woken: count,
    timed_out_runs: count,
    timed_out_steps: count,
    begun_runs: count,
    advanced_runs: count,
    failures: count,
  })
  .meta({ id: 'Reconciled', description: 'Of the whole installation; `failures` are rows that could not be mended.' });
export type Mended = z.output<typeof mended>;
