import { z } from 'zod';
import { transcriptSchema } from '#libs/context';
import { STEP_ID_PATTERN, type Json } from '#libs/domain';
import { limitSchema } from '../http/list-page.js';
import { anyJson, anyJsonObject, count, itemInBody, itemNumber, line, time } from '../http/scalars.js';

const stepId = z.string().regex(STEP_ID_PATTERN, 'expected a step id: a-z, then a-z 0-9 _');

/** A recorded session, read: in the transcript form, or as OpenAI's messages, bare or in an object. */
export const transcript = z
  .custom<Json>()
  .transform((body, context) => {
    const parsed = transcriptSchema.safeParse(body);
    if (parsed.success) return parsed.data;
    // A bare list is read as `messages`: its faults are named by where they stand in the list.
    const start = Array.isArray(body) ? 1 : 0;
    for (const { path, message } of parsed.error.issues)
      context.addIssue({ code: 'custom', path: path.slice(start), message });
    return z.NEVER;
  })
  .meta({
    id: 'Conversation',
    description: '`{source?, messages[], events?[]}`, or a list of messages; OpenAI’s chat form is taken too.',
  });

export const importBody = z
  .strictObject({
    /** Ignored where the path names a sub-stream. */
    step_id: stepId.nullish(),
    item: itemInBody.nullish(),
    source_id: line(200).nullish(),
    memory: anyJsonObject.nullish(),
    dry_run: z.boolean().default(false),
    transcript,
  })
  .meta({
    id: 'ImportConversation',
    description:
      '`source_id` names the conversation where it comes from: importing it again adds only what is new. An export has this form.',
  });
export type ImportBody = z.output<typeof importBody>;

const repair = z.object({ rule: z.string(), entries: z.array(count), detail: z.string() });

export const importAnswer = z
  .object({
    stream_id: z.string(),
    step_id: z.string(),
    item: z.int().nullable(),
    source_id: z.string(),
    status: z.enum(['imported', 'unchanged', 'would_import']),
    /** Events appended to the sub-stream, and its last seq. */
    appended: count,
    version: count,
    report: z.object({
      messages: count,
      entries: count,
      answers: count,
      results: count,
      repairs: z.array(repair),
      left_out: z.array(z.object({ message_index: count, reason: z.string() })),
    }),
  })
  .meta({ id: 'ConversationImported' });
export type ImportAnswer = z.output<typeof importAnswer>;

export const exportQuery = z.strictObject({
  step_id: stepId.optional(),
  item: itemNumber.optional(),
  format: z.enum(['transcript', 'openai']).default('transcript'),
});

export const exportAnswer = z
  .object({
    stream_id: z.string(),
    step_id: z.string(),
    item: z.int().nullable(),
    source_id: z.string(),
    memory: anyJsonObject,
    transcript: anyJson,
  })
  .meta({
    id: 'ConversationExport',
    description: 'Whole, whatever contexts mask or summarise. An import takes it as it is, without `stream_id`.',
  });
export type ExportAnswer = z.output<typeof exportAnswer>;

export const messagesQuery = z.strictObject({
  step: stepId.optional(),
  item: itemNumber.optional(),
  order: z.enum(['asc', 'desc']).default('asc'),
  limit: limitSchema,
  cursor: z.string().max(2000).optional(),
});
export type MessagesQuery = z.output<typeof messagesQuery>;

export const conversationMessage = z
  .object({
    entry: count,
    run_id: z.string().nullable(),
    kind: z.enum(['user', 'documents', 'memory', 'answer', 'result']),
    role: z.enum(['user', 'assistant', 'tool']),
    content: anyJson,
    tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    tool_call_id: z.string().nullable(),
    name: z.string().nullable(),
    status: z.string().nullable(),
    model: z.string().nullable(),
    origin: z.enum(['task', 'user', 'import']).nullable(),
    injected: z.boolean(),
    chars: count,
    recorded_at: time,
  })
  .meta({ id: 'ConversationMessage', description: '`status` is a result’s, or why an answer ended.' });
export type ConversationMessage = z.output<typeof conversationMessage>;
