import { z } from 'zod';
import { jsonObjectSchema, jsonSchema } from '../json.js';
import { runErrorSchema } from './run-events.js';

export const approvalKindSchema = z.enum(['step', 'tool', 'unknown_outcome']);
/** `step`: an approval step; `tool`: a call of a tool with `requires_approval`; `unknown_outcome`: a call that may have had its effect. */
export type ApprovalKind = z.infer<typeof approvalKindSchema>;

export const approvalDecisionSchema = z.enum(['approve', 'deny']);
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

export const approvalRequested = z.object({
  approval_id: z.string(),
  kind: approvalKindSchema,
  prompt: z.string(),
  form: jsonObjectSchema.nullable(),
  tool: z.string().nullable(),
  /** The string as the model wrote it. */
  arguments: z.string().nullable(),
  call_no: z.number().int().positive().nullable(),
  ordinal: z.number().int().nonnegative().nullable(),
  due_at: z.string().nullable(),
});

export const approvalDecided = z.object({
  approval_id: z.string(),
  decision: approvalDecisionSchema,
  form: jsonSchema,
  comment: z.string().nullable(),
  /** What the call is made with instead; null: as requested. */
  arguments: z.string().nullable(),
  /** The key that decided; null: the time-out. */
  decided_by: z.string().nullable(),
});

/** A signal that a step waited for; one signal wakes one wait. */
export const signalReceived = z.object({
  signal_id: z.string(),
  signal: z.string(),
  key: z.string(),
  payload: jsonSchema,
  sent_at: z.string(),
});

/** A `for_each` begins. The events of its items stand at the loop's place with their `item`. */
export const itemsExpanded = z.object({ items: z.array(jsonSchema) });
export const itemStarted = z.object({});
export const itemEnded = z.object({
  status: z.enum(['succeeded', 'failed', 'cancelled']),
  output: jsonSchema,
  error: runErrorSchema.nullable(),
});
/** After the `retry` verb: `running` go on where they stopped, `pending` had not begun. */
export const itemsReopened = z.object({
  running: z.array(z.number().int().nonnegative()),
  pending: z.array(z.number().int().nonnegative()),
});
