import { z } from 'zod';
import { USAGE_GROUPS, type UsageGroup } from '#libs/event-store';
import { pageQuery } from '../http/list-page.js';
import { anyJson, count, time, timeFilter, usage } from '../http/scalars.js';
import { runError } from '../runs/run.schema.js';

const queueCounts = z.object({
  runnable: count,
  dispatched: count,
  running: count,
  waiting: count,
  oldest_runnable_at: time.nullable(),
});

export const queues = z
  .object({ backend: z.enum(['redis', 'postgres']), steps: queueCounts, compactions: queueCounts })
  .meta({
    id: 'Queues',
    description: '`runnable` is still in Postgres, `dispatched` in the queue and not yet claimed.',
  });
export type Queues = z.output<typeof queues>;

export const worker = z
  .object({
    id: z.string(),
    kind: z.enum(['steps', 'compactions']),
    running: count,
    expired_leases: count,
    oldest_started_at: time.nullable(),
    lease_until: time.nullable(),
  })
  .meta({ id: 'Worker' });
export type Worker = z.output<typeof worker>;

export const operationListQuery = z.strictObject(pageQuery);

export const deadLetter = z
  .object({
    id: z.string(),
    run_id: z.string(),
    pipeline: z.string(),
    step_id: z.string(),
    item: z.int().nullable(),
    round: count,
    attempt: count,
    starts: count,
    error: runError.nullable(),
    dead_at: time,
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetter = z.output<typeof deadLetter>;

export const auditEntry = z
  .object({ id: count, actor: z.string(), action: z.string(), subject: z.string(), detail: anyJson, recorded_at: time })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntry>;

const isGroup = (name: string): name is UsageGroup => USAGE_GROUPS.some((group) => group === name);

export const usageQuery = z.strictObject({
  group_by: z
    .string()
    .default('pipeline')
    .transform((list, context) => {
      const names = [...new Set(list.split(','))];
      const known = names.filter(isGroup);
      if (known.length === names.length) return known;
      context.addIssue({
        code: 'custom',
        message: `expected one or more of ${USAGE_GROUPS.join(', ')}, separated by commas`,
      });
      return z.NEVER;
    }),
  from: timeFilter,
  until: timeFilter,
});

export const usageReport = z
  .object({
    group_by: z.array(z.enum(USAGE_GROUPS)),
    data: z.array(
      z.object({ pipeline: z.string().nullable(), model: z.string().nullable(), day: z.string().nullable(), usage }),
    ),
  })
  .meta({ id: 'UsageReport', description: 'Groups that were not asked for are null. Days are UTC.' });
export type UsageReport = z.output<typeof usageReport>;
