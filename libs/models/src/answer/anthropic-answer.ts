import type { AIMessageChunk } from '@langchain/core/messages';
import { jsonSchema, type FinishReason } from '#libs/domain';
import { z } from 'zod';
import type { ReceivedAnswer } from './received-answer.js';

const text = z.string().optional();
const block = z.looseObject({ type: z.string(), index: z.number().int().default(0), text, thinking: text, signature: text, data: text });
const count = z.number().int().nonnegative();
const usageShape = z.object({
  input_tokens: count,
  output_tokens: count,
  input_token_details: z.object({ cache_creation: count.default(0), cache_read: count.default(0) }).optional(),
});
const kwargs = z.looseObject({ id: text, model: text, stop_reason: z.string().nullish(), stop_sequence: z.string().nullish() });

/** Where a plain string stands when LangChain gives no blocks (requests without tools, documents and thinking). */
const ONLY_BLOCK = 0;

/** Adds one chunk of LangChain's stream to an answer. Returns the text it brought. */
export function addAnthropicChunk(chunk: AIMessageChunk, answer: ReceivedAnswer): string {
  let said = '';
  if (typeof chunk.content === 'string') {
    if (chunk.content !== '') answer.addText(ONLY_BLOCK, chunk.content);
    said = chunk.content;
  } else for (const given of chunk.content) said += addBlock(block.parse(given), answer);
  for (const { index, id, name, args } of chunk.tool_call_chunks ?? []) answer.addCall(index ?? 0, { id, name, piece: args });
  addUsage(chunk, answer);
  addEnd(kwargs.parse(chunk.additional_kwargs), answer);
  return said;
}

function addBlock(given: z.infer<typeof block>, answer: ReceivedAnswer): string {
  switch (given.type) {
    case 'text':
      answer.addText(given.index, given.text ?? '');
      return given.text ?? '';
    case 'thinking':
      answer.addThinking(given.index, given.thinking ?? '', given.signature ?? '');
      return '';
    case 'redacted_thinking':
      answer.addPart(given.index, { type: 'redacted_thinking', data: given.data ?? '' });
      return '';
    // Calls come as `tool_call_chunks` too, with their arguments as received.
    case 'tool_use':
    case 'input_json_delta':
      return '';
  }
  const { index, ...raw } = given;
  answer.addPart(index, { type: 'opaque', provider: 'anthropic', raw: jsonSchema.parse(raw) });
  return '';
}

/** The first chunk counts the input (LangChain adds cache reads and writes to it), the last one all output. */
function addUsage(chunk: AIMessageChunk, answer: ReceivedAnswer): void {
  const parsed = usageShape.safeParse(chunk.usage_metadata);
  if (!parsed.success) return;
  const { input_tokens: input, output_tokens: output, input_token_details: details } = parsed.data;
  if (input > 0 || answer.usage === null) {
    answer.usage = { input_tokens: input, cached_tokens: details?.cache_read ?? 0, cache_write_tokens: details?.cache_creation ?? 0, output_tokens: output };
  } else answer.usage = { ...answer.usage, output_tokens: output };
}

function addEnd({ id, model, stop_reason: reason, stop_sequence: sequence }: z.infer<typeof kwargs>, answer: ReceivedAnswer): void {
  if (id !== undefined) answer.payload['id'] = id;
  if (model !== undefined) answer.payload['model'] = model;
  if (typeof sequence === 'string') answer.payload['stop_sequence'] = sequence;
  if (typeof reason !== 'string') return;
  answer.payload['stop_reason'] = reason;
  if (reason === 'refusal') answer.refusal = answer.refusal ?? '';
  answer.finishReason = finishOf(reason);
}

function finishOf(reason: string): FinishReason {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'tool_use':
      return 'tool_calls';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content_filter';
  }
  return 'other';
}
