import { z } from 'zod';
import { jsonObjectSchema, jsonSchema } from '../json.js';
import { assistantMessageSchema, contentSchema, toolCallSchema, usageSchema } from './content.js';

/**
 * Events of a sub-stream: the conversation of one step. Those marked `entry: true` in the catalogue are what a model
 * can see; the others record how it came about. `call_no` counts the model calls of a step in one run from 1, `try` the
 * attempts at one call from 1, `ordinal` the tool calls of one answer from 0.
 */
export const userMessageReceived = z.object({
  /** task: the step's own; user: sent by a person during or before a run; import: a stored conversation. */
  origin: z.enum(['task', 'user', 'import']),
  content: contentSchema,
  reissued: z.boolean().optional(),
  /** Set by an import when the source marked the message as injected by a program. */
  injected: z.boolean().optional(),
});

export const documentsProvided = z.object({ content: contentSchema, name: z.string().optional() });

/** Memory as it differs from what the view last showed (`memory.placement: inline`). Keys are sorted when shown. */
export const memoryShown = z.object({
  memory: z.record(z.string(), jsonSchema),
  memory_seq: z.number().int().nonnegative(),
});

export const frontierSchema = z.object({
  forget_to: z.number().int().nonnegative(),
  mask_to: z.number().int().nonnegative(),
  elided_to: z.number().int().nonnegative(),
  reasoning_from: z.number().int().nonnegative(),
  compaction_id: z.string().nullable(),
  /** Of the blocks up to `elided_to` those up to here are left out whole; absent: none. */
  left_out_to: z.number().int().nonnegative().optional(),
  /** Turns up to it are truncated; absent: none. */
  truncated_to: z.number().int().nonnegative().optional(),
});
/** Where the last build of a view stood, in entries; the next build only moves forward from it. */
export type Frontier = z.infer<typeof frontierSchema>;

/** What the loop of an agent step counts over its run, so that whoever takes it over reads no more than came since the call. */
const agentLoopSchema = z.object({
  /** Completed model calls. */
  turns: z.number().int().nonnegative(),
  /** Index into the agent's models, and overloads of that one in a row. */
  model_index: z.number().int().nonnegative(),
  overloads: z.number().int().nonnegative(),
  /** Tool calls asked for since the last user message. */
  exchange_calls: z.number().int().nonnegative(),
  /** SHA-256 of the last call with its result, and how often in a row it came. */
  streak: z.object({ key: z.string(), count: z.number().int().positive() }).nullable(),
  /** The model was asked to repair its output. */
  repaired: z.boolean(),
});

export type AgentLoopSnapshot = z.infer<typeof agentLoopSchema>;

export const llmCallStarted = z.object({
  call_no: z.number().int().positive(),
  try: z.number().int().positive(),
  model: z.string(),
  message_count: z.number().int().nonnegative(),
  approx_context_chars: z.number().int().nonnegative(),
  approx_context_tokens: z.number().int().nonnegative(),
  upto_seq: z.number().int().nonnegative(),
  policy_hash: z.string(),
  context_hash: z.string(),
  manifest: z.string(),
  frontier: frontierSchema,
  report: jsonObjectSchema,
  /** `none` on the last call of a loop that may call no more tools. */
  tool_choice: z.enum(['auto', 'none']).default('auto'),
  /** How long the build took. */
  build_ms: z.number().nonnegative().optional(),
  /** Where the step's loop stood; absent in calls of earlier Weirs. */
  loop: agentLoopSchema.optional(),
});

export const finishReasonSchema = z.enum([
  'stop',
  'tool_calls',
  'length',
  'content_filter',
  'aborted',
  'error',
  'other',
]);
export type FinishReason = z.infer<typeof finishReasonSchema>;

export const llmCallCompleted = z.object({
  call_no: z.number().int().positive(),
  try: z.number().int().positive(),
  model: z.string(),
  message: assistantMessageSchema,
  finish_reason: finishReasonSchema,
  usage: usageSchema.nullable(),
  cost_usd: z.number().nonnegative().nullable(),
  wire_hash: z.string().nullable(),
  duration_ms: z.number().nonnegative().optional(),
  provider_payload: jsonSchema.optional(),
});

export const llmCallFailed = z.object({
  call_no: z.number().int().positive(),
  try: z.number().int().positive(),
  model: z.string(),
  /** The failure class of domain/failure. */
  class: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  retry_after_ms: z.number().nonnegative().nullable().default(null),
  usage: usageSchema.nullable().default(null),
  cost_usd: z.number().nonnegative().nullable().default(null),
  /** Text and calls received before the failure: kept, never shown. */
  partial: assistantMessageSchema.optional(),
});

export const toolEffectSchema = z.enum(['read_only', 'idempotent', 'idempotent_with_key', 'non_idempotent']);
export type ToolEffect = z.infer<typeof toolEffectSchema>;

export const toolCallRequested = z.object({
  call_no: z.number().int().positive(),
  ordinal: z.number().int().nonnegative(),
  tool_call: toolCallSchema,
});

export const toolCallStarted = z.object({
  call_no: z.number().int().positive(),
  ordinal: z.number().int().nonnegative(),
  try: z.number().int().positive(),
  name: z.string(),
  effect: toolEffectSchema,
  idempotency_key: z.string().nullable(),
});

export const toolResultStatusSchema = z.enum(['ok', 'error', 'denied', 'cancelled', 'pending']);
export type ToolResultStatus = z.infer<typeof toolResultStatusSchema>;

export const toolCallCompleted = z.object({
  call_no: z.number().int().positive(),
  ordinal: z.number().int().nonnegative(),
  tool_call_id: z.string(),
  name: z.string(),
  status: toolResultStatusSchema,
  content: contentSchema,
  /** What a masked result shows of its call, fixed here so that a placeholder never changes: the tool's declared primary argument, else its first string, at most 80 chars. */
  argument: z.string().nullable(),
  duration_ms: z.number().nonnegative().optional(),
});

export const toolOutcomeUnknown = z.object({
  call_no: z.number().int().positive(),
  ordinal: z.number().int().nonnegative(),
  tool_call_id: z.string(),
  name: z.string(),
  policy: z.enum(['ask', 'fail', 'tell_model']),
  /** Of a tool step: how often the run had been retried. A later retry says that the call may be made again. */
  generation: z.number().int().nonnegative().optional(),
});

/** The conversation stopped before an answer; calls left open were cancelled (or interrupted) there. */
export const conversationInterrupted = z.object({
  reason: z.enum(['cancelled', 'failed', 'timed_out']),
});
