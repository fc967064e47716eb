import { z } from 'zod';
import { expectedDuration, parseDurationMs, RUN_STATUSES, STEP_STATUSES, type RunStatus } from '#libs/domain';
import { transcript } from '../conversations/conversation.schema.js';
import { spendLimitBody } from './pause.schema.js';
import { pageQuery } from '../http/list-page.js';
import { anyJson, anyJsonObject, count, line, time, timeFilter, usage, versionInBody } from '../http/scalars.js';

const tag = line(128);
const tags = z.array(tag).max(50);

/** A duration such as `90s` or `1h30m`, read as milliseconds. */
const delay = z
  .string()
  .max(64)
  .transform((text, context) => {
    const delayMs = parseDurationMs(text);
    if (delayMs !== null) return delayMs;
    context.addIssue({ code: 'custom', message: `expected ${expectedDuration(text)}` });
    return z.NEVER;
  });

const priority = z.int().min(-100).max(100);

export const startRunBody = z
  .strictObject({
    inputs: anyJsonObject.default({}),
    stream_id: line(128).nullish(),
    version: versionInBody.nullish(),
    tags: tags.default([]),
    metadata: anyJsonObject.default({}),
    priority: priority.default(0),
    deadline: z.iso.datetime({ offset: true }).nullish(),
    spend_limit: spendLimitBody.nullish(),
    messages: transcript.nullish(),
    delay: delay.nullish(),
  })
  .meta({
    id: 'StartRun',
    description:
      '`messages`: what was said before, for a stream without a conversation, shown to each agent that keeps one. `delay`: a duration such as `5m`.',
  });
export type StartRunBody = z.output<typeof startRunBody>;

export const patchRunBody = z
  .strictObject({
    tags: tags.optional(),
    metadata: anyJsonObject.optional(),
    priority: priority.optional(),
    spend_limit: spendLimitBody.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'expected tags, metadata, priority or spend_limit')
  .meta({ id: 'PatchRun' });
export type PatchRunBody = z.output<typeof patchRunBody>;

export const cancelRunBody = z.strictObject({ reason: z.string().max(1000).nullish() }).optional();
export type CancelRunBody = z.output<typeof cancelRunBody>;

const runStatus = z.enum(RUN_STATUSES).meta({ id: 'RunStatus' });
const statusNames: ReadonlySet<string> = new Set(RUN_STATUSES);
const isStatus = (name: string): name is RunStatus => statusNames.has(name);

export const runListQuery = z.strictObject({
  ...pageQuery,
  /** One status or several, separated by commas. */
  status: z
    .string()
    .transform((list, context) => {
      const names = list.split(',');
      const known = names.filter(isStatus);
      if (known.length === names.length) return known;
      context.addIssue({
        code: 'custom',
        message: `expected one or more of ${RUN_STATUSES.join(', ')}, separated by commas`,
      });
      return z.NEVER;
    })
    .optional(),
  pipeline: line(128).optional(),
  tag: tag.optional(),
  stream_id: line(128).optional(),
  created_after: timeFilter,
  created_before: timeFilter,
});
export type RunListQuery = z.output<typeof runListQuery>;

export const runError = z
  .object({ code: z.string(), detail: z.string(), step_id: z.string().nullable() })
  .meta({ id: 'RunError' });

export const runStep = z
  .object({
    id: z.string(),
    item: z.int().nullable(),
    round: count,
    kind: z.string(),
    status: z.enum(STEP_STATUSES),
    reason: z.string().nullable(),
    attempt: count,
    starts: count,
    started_at: time.nullable(),
    ended_at: time.nullable(),
  })
  .meta({ id: 'RunStep' });

const blockedOn = z.object({ kind: z.string(), id: z.string().nullable(), since: time.nullable() });

export const runSummary = z
  .object({
    id: z.string(),
    pipeline: z.object({ name: z.string(), version: z.int() }),
    stream_id: z.string(),
    status: runStatus,
    status_reason: z.string().nullable(),
    status_detail: z.string().nullable(),
    blocked_on: z.array(blockedOn),
    error: runError.nullable(),
    tags: z.array(z.string()),
    metadata: anyJsonObject.nullable(),
    priority: z.int(),
    usage,
    allowed_actions: z.array(z.string()),
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
  })
  .meta({ id: 'RunSummary' });
export type RunSummary = z.output<typeof runSummary>;

export const run = runSummary
  .extend({ inputs: anyJsonObject.nullable(), output: anyJson, steps: z.array(runStep) })
  .meta({ id: 'Run', description: '`inputs`, `output` and `metadata` are null for keys without `content:read`.' });
export type Run = z.output<typeof run>;

export const cancelAnswer = z
  .object({ id: z.string(), status: runStatus, allowed_actions: z.array(z.string()) })
  .meta({ id: 'RunCancelled' });
export type CancelAnswer = z.output<typeof cancelAnswer>;

export const retryRunBody = z
  .strictObject({ version: z.enum(['pinned', 'live']).default('pinned') })
  .optional()
  .meta({ id: 'RetryRun' });
export type RetryRunBody = z.output<typeof retryRunBody>;

export const retryAnswer = z
  .object({ id: z.string(), version: z.int(), steps: z.array(z.string()) })
  .meta({ id: 'RunRetried', description: '`steps` are those that run again.' });
export type RetryAnswer = z.output<typeof retryAnswer>;

export const runCost = z
  .object({
    run_id: z.string(),
    usage,
    steps: z.array(z.object({ id: z.string(), item: z.int().nullable(), round: count, usage })),
    compactions: z.array(z.object({ id: z.string(), usage })),
    children: z.array(
      z.object({ run_id: z.string(), pipeline: z.string(), step_id: z.string(), item: z.int().nullable(), usage }),
    ),
    models: z.array(z.object({ model: z.string(), usage })),
  })
  .meta({ id: 'RunCost' });
export type RunCost = z.output<typeof runCost>;

const hardCap = z.object({
  size: count,
  cap: count,
  contributors: z.array(
    z.object({ kind: z.string(), entry: z.int().nullable(), name: z.string().nullable(), chars: count }),
  ),
  knob: z.string(),
});

const stepExplanation = z.object({
  step_id: z.string(),
  item: z.int().nullable(),
  round: count,
  status: z.enum(STEP_STATUSES),
  reason: z.string().nullable(),
  detail: z.string(),
  attempt: count,
  starts: count,
  held_by: z.string().nullable(),
  lease_until: time.nullable(),
  due_at: time.nullable(),
  since: time.nullable(),
  next: z.string().nullable(),
  /** Of a step that failed on its hard cap: the five largest parts of the request, and what to turn. */
  hard_cap: hardCap.nullable(),
});

export const runExplanation = z
  .object({
    run_id: z.string(),
    status: runStatus,
    status_reason: z.string().nullable(),
    status_detail: z.string().nullable(),
    /** Since when it is in this status. */
    since: time,
    /** What moves it next; null: it has ended. */
    next: z.string().nullable(),
    blocked_on: z.array(blockedOn),
    allowed_actions: z.array(z.string()),
    steps: z.array(stepExplanation),
  })
  .meta({ id: 'RunExplanation' });
export type RunExplanation = z.output<typeof runExplanation>;
