import { z } from 'zod';
import { jsonSchema } from '../json.js';

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const imagePart = z.object({
  type: z.literal('image'),
  media_type: z.string().optional(),
  data: z.string().optional(),
  url: z.string().optional(),
  name: z.string().optional(),
});
const documentPart = z.object({
  type: z.literal('document'),
  media_type: z.string().optional(),
  data: z.string().optional(),
  url: z.string().optional(),
  name: z.string().optional(),
  pages: z.number().int().positive().optional(),
});
const otherPart = z.object({ type: z.literal('other'), raw: jsonSchema });

/** What a user message, a document or a tool result consists of. Base64 in `data`. */
export const contentPartSchema = z.discriminatedUnion('type', [textPart, imagePart, documentPart, otherPart]);
export type ContentPart = z.infer<typeof contentPartSchema>;

const thinkingPart = z.object({
  type: z.literal('thinking'),
  text: z.string(),
  signature: z.string().optional(),
});
const redactedThinkingPart = z.object({ type: z.literal('redacted_thinking'), data: z.string() });
/** A provider's own reasoning item (OpenAI Responses, Gemini thought signatures …), kept untouched. */
const opaquePart = z.object({ type: z.literal('opaque'), provider: z.string(), raw: jsonSchema });

/** What an assistant message consists of, in the provider's order; tool calls stand beside it. */
export const assistantPartSchema = z.discriminatedUnion('type', [
  textPart,
  imagePart,
  otherPart,
  thinkingPart,
  redactedThinkingPart,
  opaquePart,
]);
export type AssistantPart = z.infer<typeof assistantPartSchema>;

/** `arguments` is the string as received: jsonb would reorder its keys. `id` is the provider's and may repeat. */
export const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** Content of a message as text or parts. */
export const contentSchema = z.union([z.string(), z.array(contentPartSchema)]);
export type Content = z.infer<typeof contentSchema>;

export const assistantMessageSchema = z.object({
  content: z.array(assistantPartSchema),
  tool_calls: z.array(toolCallSchema),
});
export type AssistantMessage = z.infer<typeof assistantMessageSchema>;

/** Tokens as the provider reported them; `cached_tokens` is the part of `input_tokens` read from its cache. */
export const usageSchema = z.object({
  input_tokens: z.number().int().nonnegative(),
  cached_tokens: z.number().int().nonnegative(),
  cache_write_tokens: z.number().int().nonnegative().default(0),
  output_tokens: z.number().int().nonnegative(),
});
export type Usage = z.infer<typeof usageSchema>;
