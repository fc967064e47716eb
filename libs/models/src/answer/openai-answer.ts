import type { FinishReason, Usage } from '#libs/domain';
import { z } from 'zod';
import type { ReceivedAnswer } from './received-answer.js';

const text = z.string().nullish();
const callPiece = z.object({
  index: z.number().int().optional(),
  id: text,
  function: z.object({ name: text, arguments: text }).nullish(),
});
const message = z.object({
  content: text,
  refusal: text,
  reasoning_content: text,
  tool_calls: z.array(callPiece).nullish(),
});
const count = z.number().int().nonnegative().nullish();
const usageShape = z.object({
  prompt_tokens: z.number().int().nonnegative(),
  completion_tokens: z.number().int().nonnegative(),
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
  /** DeepSeek. */
  prompt_cache_hit_tokens: count,
});
const rawResponse = z.object({
  id: text,
  model: text,
  system_fingerprint: text,
  service_tier: text,
  choices: z.array(z.object({ finish_reason: text, message: message.nullish(), delta: message.nullish() })).default([]),
  usage: usageShape.nullish().catch(null),
});

const THINKING = 0;
const TEXT = 1;

/**
 * Adds a Chat Completions response, or one chunk of a stream, to an answer. Returns the text it brought.
 * @throws ZodError when it is neither.
 */
export function addOpenAiResponse(raw: unknown, answer: ReceivedAnswer): string {
  const response = rawResponse.parse(raw);
  const choice = response.choices[0];
  for (const key of ['id', 'model', 'system_fingerprint', 'service_tier'] as const) {
    const value = response[key];
    if (typeof value === 'string') answer.payload[key] = value;
  }
  if (response.usage !== null && response.usage !== undefined) answer.usage = openAiUsage(response.usage);
  if (choice === undefined) return '';
  const piece = choice.message ?? choice.delta;
  if (typeof piece?.refusal === 'string' && piece.refusal !== '')
    answer.refusal = (answer.refusal ?? '') + piece.refusal;
  if (typeof piece?.reasoning_content === 'string' && piece.reasoning_content !== '')
    answer.addThinking(THINKING, piece.reasoning_content, '');
  const said = piece?.content ?? '';
  if (said !== '') answer.addText(TEXT, said);
  for (const [at, call] of (piece?.tool_calls ?? []).entries()) {
    answer.addCall(call.index ?? at, { id: call.id, name: call.function?.name, piece: call.function?.arguments });
  }
  if (typeof choice.finish_reason === 'string') answer.finishReason = finishOf(choice.finish_reason, answer);
  return said;
}

/** Usage out of LangChain's metadata of a stream's last chunk, or null when there is none. */
export function readOpenAiUsage(metadata: unknown): Usage | null {
  const parsed = z.object({ usage: usageShape }).safeParse(metadata);
  return parsed.success ? openAiUsage(parsed.data.usage) : null;
}

function openAiUsage(usage: z.infer<typeof usageShape>): Usage {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
  return {
    input_tokens: usage.prompt_tokens,
    cached_tokens: cached,
    cache_write_tokens: 0,
    output_tokens: usage.completion_tokens,
  };
}

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
]);

function finishOf(reason: string, answer: ReceivedAnswer): FinishReason {
  const known = FINISH_REASONS.get(reason) ?? 'other';
  // Some compatible servers say `stop` for answers that call tools.
  return known === 'stop' && answer.message.tool_calls.length > 0 ? 'tool_calls' : known;
}
