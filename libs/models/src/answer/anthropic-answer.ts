import type { AIMessageChunk } from '@langchain/core/messages';
import { jsonSchema, type FinishReason } from '#libs/domain';
import { z } from 'zod';
import type { ReceivedAnswer } from './received-answer.js';

const text = z.string().optional();
const block = z.looseObject({
  type: z.string(),
  index: z.number().int().default(0),
  text,
  thinking: text,
  signature: text,
  data: text,
});
const count = z.number().int().nonnegative();
const usageShape = z.object({
  input_tokens: count,
  output_tokens: count,
  input_token_details: z.object({ cache_creation: count.default(0), cache_read: count.default(0) }).optional(),
});
const kwargs = z.looseObject({
  id: text,
  model: text,
  stop_reason: z.string().nullish(),
  stop_sequence: z.string().nullish(),
});

/** Where a plain string stands when LangChain gives no blocks (requests without tools, documents and thinking). */
const ONLY_BLOCK = 0;

/** Adds one chunk of LangChain's stream to an answer. Returns the text it brought. */
export function addAnthropicChunk(chunk: AIMessageChunk, answer: ReceivedAnswer): string {
  let said = '';
  if (typeof chunk.content === 'string') {
    if (chunk.content !== '') answer.addText(ONLY_BLOCK, chunk.content);
    said = chunk.content;
  } else for (const given of chunk.content) said += addBlock(block.parse(given), answer);
  for (const { index, id, name, args } of chunk.tool_call_chunks ?? [])
    answer.addCall(index ?? 0, { id, name, piece: args });
  addUsage(chunk, answer);
  addEnd(kwargs.parse(chunk.additional_kwargs), answer);
  return said;
}

type Block = z.infer<typeof block>;

function addBlock(given: Block, answer: ReceivedAnswer): string {
  const read = BLOCKS.get(given.type);
  if (read !== undefined) return read(given, answer);
  const { index, ...raw } = given;
  answer.addPart(index, { type: 'opaque', provider: 'anthropic', raw: jsonSchema.parse(raw) });
  return '';
}

/** How each type of block is read, and the text it brings. */
const BLOCKS: ReadonlyMap<string, (given: Block, answer: ReceivedAnswer) => string> = new Map([
  ['text', readText],
  ['thinking', readThinking],
  ['redacted_thinking', readRedacted],
  // Calls come as `tool_call_chunks` too, with their arguments as received.
  ['tool_use', () => ''],
  ['input_json_delta', () => ''],
]);

function readText({ index, text: said = '' }: Block, answer: ReceivedAnswer): string {
  answer.addText(index, said);
  return said;
}

function readThinking({ index, thinking = '', signature = '' }: Block, answer: ReceivedAnswer): string {
  answer.addThinking(index, thinking, signature);
  return '';
}

function readRedacted({ index, data = '' }: Block, answer: ReceivedAnswer): string {
  answer.addPart(index, { type: 'redacted_thinking', data });
  return '';
}

/** The first chunk counts the input (LangChain adds cache reads and writes to it), the last one all output. */
function addUsage(chunk: AIMessageChunk, answer: ReceivedAnswer): void {
  const parsed = usageShape.safeParse(chunk.usage_metadata);
  if (!parsed.success) return;
  const { input_tokens: input, output_tokens: output, input_token_details: details } = parsed.data;
  if (input > 0 || answer.usage === null) {
    answer.usage = {
      input_tokens: input,
      cached_tokens: details?.cache_read ?? 0,
      cache_write_tokens: details?.cache_creation ?? 0,
      output_tokens: output,
    };
  } else answer.usage = { ...answer.usage, output_tokens: output };
}

function addEnd(
  { id, model, stop_reason: reason, stop_sequence: sequence }: z.infer<typeof kwargs>,
  answer: ReceivedAnswer,
): void {
  if (id !== undefined) answer.payload['id'] = id;
  if (model !== undefined) answer.payload['model'] = model;
  if (typeof sequence === 'string') answer.payload['stop_sequence'] = sequence;
  if (typeof reason !== 'string') return;
  answer.payload['stop_reason'] = reason;
  if (reason === 'refusal') answer.refusal = answer.refusal ?? '';
  answer.finishReason = FINISH_REASONS.get(reason) ?? 'other';
}

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
]);
