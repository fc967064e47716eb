import { z } from 'zod';
import { jsonObjectSchema, jsonSchema } from '../json.js';

/** An error as runs and steps carry it. `detail` is for people and holds no secret. */
export const runErrorSchema = z.object({
  code: z.string(),
  detail: z.string(),
  step_id: z.string().nullable().default(null),
});
export type RunError = z.infer<typeof runErrorSchema>;

export const waitReasonSchema = z.enum([
  'compaction',
  'approval',
  'signal',
  'timer',
  'children',
  'rate_limit',
  'concurrency',
  'spend_limit',
  'paused',
]);
/** What a step waits for: one word, one list, everywhere. */
export type WaitReason = z.infer<typeof waitReasonSchema>;

/** Bounds of a run's spending, its child runs included; each null: none. */
export const spendLimitSchema = z.object({
  tokens: z.number().nonnegative().nullable(),
  cost_usd: z.number().nonnegative().nullable(),
  tool_calls: z.number().nonnegative().nullable(),
  on_exceeded: z.enum(['pause', 'fail']),
});
export type StoredSpendLimit = z.infer<typeof spendLimitSchema>;

export const runCreated = z.object({
  pipeline: z.object({ name: z.string(), version: z.number().int().positive() }),
  inputs: jsonObjectSchema,
  tags: z.array(z.string()),
  metadata: jsonObjectSchema,
  priority: z.number().int(),
  deadline_at: z.string().nullable(),
  /** The step of another run that started this one. */
  parent: z
    .object({ run_id: z.string(), step_id: z.string(), item: z.number().int().nullable(), round: z.number().int() })
    .nullable()
    .default(null),
  spend_limit: spendLimitSchema.nullable().default(null),
});
export const runStarted = z.object({});
export const runPaused = z.object({ reason: z.string().nullable() });
export const runResumed = z.object({});
/** What was given to change it, as it is from then on. */
export const runLabelled = z.object({
  tags: z.array(z.string()).optional(),
  metadata: jsonObjectSchema.optional(),
  priority: z.number().int().optional(),
});
export const spendLimitChanged = z.object({ spend_limit: spendLimitSchema });
export const runCancelRequested = z.object({ reason: z.string().nullable() });
export const runSucceeded = z.object({ output: jsonSchema });
export const runFailed = z.object({ error: runErrorSchema });
export const runCancelled = z.object({ reason: z.string().nullable() });
export const runTimedOut = z.object({ error: runErrorSchema });
export const runDeadLettered = z.object({ error: runErrorSchema });
/** The `retry` verb: the run goes on in place from these steps. */
export const runRetried = z.object({
  steps: z.array(z.object({ step_id: z.string(), item: z.number().int().nullable(), round: z.number().int() })),
  version: z.number().int().positive(),
});

/** `attempt`: the one that begins; above 1 after the `retry` verb. */
export const stepQueued = z.object({ kind: z.string(), attempt: z.number().int().positive().default(1) });
/** One per claim: `start` counts them, so a step that another worker took over in the middle of an attempt has two. */
export const stepStarted = z.object({
  attempt: z.number().int().positive(),
  start: z.number().int().positive(),
  context_mode: z.enum(['inherit', 'fresh']).nullable(),
  cutoff_seq: z.number().int().nonnegative().nullable(),
  memory_seq: z.number().int().nonnegative().nullable(),
  manifest: z.string().nullable(),
});
/**
 * A worker that shuts down gave the step back: within its drain time at a turn boundary, with nothing cut off (`hand_off`), or
 * after it, when what was under way had to be aborted (`shutdown`). Not an attempt.
 */
export const stepReleased = z.object({ reason: z.enum(['shutdown', 'hand_off']) });
export const stepWaiting = z.object({
  reason: waitReasonSchema,
  key: z.string().nullable(),
  due_at: z.string().nullable(),
});
export const stepWoken = z.object({ reason: waitReasonSchema });
export const stepSucceeded = z.object({ output: jsonSchema });
export const stepFailed = z.object({ attempt: z.number().int().positive(), error: runErrorSchema });
export const stepRetryScheduled = z.object({
  attempt: z.number().int().positive(),
  due_at: z.string(),
  error: runErrorSchema,
});
export const stepSkipped = z.object({
  reason: z.enum(['when_false', 'dependency_skipped', 'dependency_failed', 'run_ended']),
});
export const stepCancelled = z.object({});
export const stepTimedOut = z.object({ error: runErrorSchema });
export const stepDeadLettered = z.object({ error: runErrorSchema, diagnosis: jsonObjectSchema });

/** What was erased: of its event only the place is left. Its digest is `erased`. */
export const eventErased = z.object({ type: z.string() });
export const ERASED_DIGEST = 'erased';

export const memoryWritten = z.object({ key: z.string(), value: jsonSchema });
export const memoryDeleted = z.object({ key: z.string() });
