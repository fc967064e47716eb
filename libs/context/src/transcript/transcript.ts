import { z } from 'zod';
import { assistantPartSchema, contentPartSchema, jsonSchema, toolCallSchema } from '#libs/domain';
import { fromOpenai } from './openai-messages.js';

/** A part of a type that Weir has no form for is kept as `other`. */
const known = <S extends z.ZodType>(schema: S, types: readonly string[]) =>
  z.preprocess((part) => (hasType(part) && types.includes(part.type) ? part : { type: 'other', raw: part }), schema);
const hasType = (part: unknown): part is { type: string } =>
  typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';

const contentPart = known(contentPartSchema, ['text', 'image', 'document', 'other']);
const answerPart = known(assistantPartSchema, ['text', 'image', 'other', 'thinking', 'redacted_thinking', 'opaque']);
const content = z.union([z.string(), z.null(), z.array(contentPart)]).default(null);

const meta = z
  .looseObject({
    model: z.string().nullish(),
    stop_reason: z.string().nullish(),
    error: jsonSchema.optional(),
    injected: z.boolean().nullish(),
  })
  .nullish();

/** Of a result that Weir exported: its status beyond `is_error`, and what its placeholder shows. */
const resultMeta = z
  .looseObject({
    status: z.enum(['ok', 'error', 'denied', 'cancelled']).optional().catch(undefined),
    argument: z.string().nullable().optional().catch(undefined),
  })
  .nullish();

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content, meta }),
  z.looseObject({ role: z.literal('user'), content, meta }),
  z.looseObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.null(), z.array(answerPart)]).default(null),
    tool_calls: z.array(toolCallSchema).nullish(),
    meta,
  }),
  z.looseObject({
    role: z.literal('tool'),
    content,
    tool_call_id: z.string(),
    name: z.string().nullish(),
    is_error: z.boolean().nullish(),
    meta: resultMeta,
  }),
]);

/** The Transcript of the API: a recorded session. Unknown keys are kept. Messages may also come in OpenAI's chat form. */
export const transcriptSchema = z.preprocess(
  fromOpenai,
  z.looseObject({
    source: jsonSchema.optional(),
    messages: z.array(message),
    events: z
      .array(
        z.looseObject({
          at: z.number().int().nonnegative(),
          type: z.string(),
          model: z.string().nullish(),
          provider: z.string().nullish(),
          /** Of `interrupted`, which Weir exports: why the conversation stopped in front of message `at`. */
          reason: z.enum(['cancelled', 'failed', 'timed_out']).optional().catch(undefined),
        }),
      )
      .default([]),
  }),
);
export type Transcript = z.infer<typeof transcriptSchema>;
export type TranscriptMessage = Transcript['messages'][number];
