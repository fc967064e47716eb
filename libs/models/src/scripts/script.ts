import type { ModelCall } from '#libs/engine';
import { assistantPartSchema, finishReasonSchema, usageSchema } from '#libs/domain';
import { z } from 'zod';

const failureClass = z.enum([
  'rate_limited',
  'overloaded',
  'server_error',
  'network',
  'timeout_idle',
  'timeout_total',
  'context_overflow',
  'invalid_request',
  'authentication',
  'refused',
  'empty_answer',
  'recorded_failure',
  'aborted',
]);

const scriptedReply = z.strictObject({
  /** `{{last_user}}`, `{{last_tool_result}}`, `{{call}}`, `{{messages}}` stand for what the request holds. */
  text: z.string().optional(),
  /** Put before the text: thinking and the like. */
  parts: z.array(assistantPartSchema).optional(),
  /** Arguments as text go out as they are (also broken ones), objects as JSON. Without an id: `call_<call>_<ordinal>`. */
  tool_calls: z
    .array(
      z.strictObject({
        id: z.string().optional(),
        name: z.string(),
        arguments: z.union([z.string(), z.record(z.string(), z.json())]).default({}),
      }),
    )
    .optional(),
  finish_reason: finishReasonSchema.optional(),
  /** Without it: a quarter of the chars of request and answer. */
  usage: usageSchema.nullable().optional(),
  failure: z
    .strictObject({
      class: failureClass,
      detail: z.string().optional(),
      retry_after_ms: z.number().nonnegative().optional(),
    })
    .optional(),
  /** In this order, before the answer. Files are relative to the scripts' folder. */
  touch_file: z.string().optional(),
  delay_ms: z.number().nonnegative().optional(),
  wait_for_file: z.string().optional(),
  /** Never answers: the call ends by its signal or its timeouts. */
  hang: z.boolean().optional(),
});

const scriptDocument = z.strictObject({
  /** By `call_no`, from 1; a list inside the list is by `try`. */
  replies: z.array(z.union([scriptedReply, z.array(scriptedReply).min(1)])).default([]),
  /** Replies of one step (`retrieve`) or one item of it (`score[3]`); they come before `replies`. */
  steps: z.record(z.string(), z.array(z.union([scriptedReply, z.array(scriptedReply).min(1)]))).default({}),
  after_last: z.enum(['repeat', 'fail']).default('fail'),
  /** A file that gets one JSON line per call, as it begins. */
  log_file: z.string().optional(),
});

export type ScriptedReply = z.input<typeof scriptedReply>;
export type ScriptDocument = z.input<typeof scriptDocument>;
/** What a scripted model answers: a document, only its `replies`, or code (in-process tests only). */
export type Script =
  | ScriptDocument
  | NonNullable<ScriptDocument['replies']>
  | ((call: ModelCall) => ScriptedReply | Promise<ScriptedReply>);

export type ParsedReply = z.output<typeof scriptedReply>;
export type ParsedScript = z.output<typeof scriptDocument>;

/** @throws ZodError when the document is not a script. */
export const parseScript = (document: unknown): ParsedScript => scriptDocument.parse(document);
/** @throws ZodError when the value is not a reply. */
export const parseReply = (reply: unknown): ParsedReply => scriptedReply.parse(reply);

/** The reply at a call's position, or null when the script has none there. */
export function replyAt(
  script: ParsedScript,
  { stepId, item, callNo, try: tryNo }: ModelCall['position'],
): ParsedReply | null {
  const replies =
    (item === null ? undefined : script.steps[`${stepId}[${item}]`]) ?? script.steps[stepId] ?? script.replies;
  const last = replies.length - 1;
  const index = callNo - 1 > last && script.after_last === 'repeat' ? last : callNo - 1;
  const reply = replies[index];
  if (reply === undefined) return null;
  return Array.isArray(reply) ? (reply[Math.min(tryNo, reply.length) - 1] ?? null) : reply;
}
