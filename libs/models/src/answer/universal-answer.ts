import type { AIMessage } from '@langchain/core/messages';
import { thoughtSignaturePart } from '#libs/context';
import type { FinishReason } from '#libs/domain';
import { z } from 'zod';
import { CALL_SIGNATURES } from '../conversion/universal-messages.js';
import { ReceivedAnswer } from './received-answer.js';

const text = z.string().optional();
/** What the packages of Google and AWS put into a message's content. */
const block = z.looseObject({
  type: z.string(),
  text,
  thinking: text,
  reasoning: text,
  signature: text,
  reasoningText: z.looseObject({ text, signature: text }).optional(),
  redactedContent: text,
});
const kwargs = z.looseObject({ [CALL_SIGNATURES]: z.record(z.string(), z.string()).optional() });
const usageShape = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  input_token_details: z
    .object({ cache_read: z.number().optional(), cache_creation: z.number().optional() })
    .optional(),
});
const metadataShape = z.looseObject({ finish_reason: text, finishReason: text, stop_reason: text, stopReason: text });

/** An answer of a LangChain model, with what its reasoning needs to go back. */
export function universalAnswer(message: AIMessage): ReceivedAnswer {
  const answer = new ReceivedAnswer();
  if (typeof message.content === 'string') answer.addText(0, message.content);
  else message.content.forEach((given, index) => addBlock(block.parse(given), index, answer));
  const calls = [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])];
  const signatures = kwargs.safeParse(message.additional_kwargs).data?.[CALL_SIGNATURES] ?? {};
  for (const [index, { id, name, args }] of calls.entries()) {
    answer.addCall(index, { id, name, piece: typeof args === 'string' ? args : JSON.stringify(args ?? {}) });
    const signature = id === undefined ? undefined : signatures[id];
    if (signature !== undefined)
      answer.addPart(
        message.content.length + index,
        thoughtSignaturePart({ thought_signature: signature, call: index }),
      );
  }
  answer.finishReason = finishReasonOf(message, calls.length > 0);
  const usage = usageShape.safeParse(message.usage_metadata);
  if (usage.success) {
    const { input_tokens, output_tokens, input_token_details: details } = usage.data;
    answer.usage = {
      input_tokens,
      output_tokens,
      cached_tokens: details?.cache_read ?? 0,
      cache_write_tokens: details?.cache_creation ?? 0,
    };
  }
  return answer;
}

function addBlock(given: z.infer<typeof block>, index: number, answer: ReceivedAnswer): void {
  if (given.type === 'text') answer.addText(index, given.text ?? '');
  else if (given.type === 'thinking') answer.addThinking(index, given.thinking ?? '', given.signature ?? '');
  else if (given.type === 'reasoning') answer.addThinking(index, given.reasoning ?? '', given.signature ?? '');
  else if (given.reasoningText !== undefined)
    answer.addThinking(index, given.reasoningText.text ?? '', given.reasoningText.signature ?? '');
  else if (given.redactedContent !== undefined)
    answer.addPart(index, { type: 'redacted_thinking', data: given.redactedContent });
}

function finishReasonOf(message: AIMessage, hasCalls: boolean): FinishReason {
  const metadata = [message.response_metadata, message.additional_kwargs].map(
    (given) => metadataShape.safeParse(given).data,
  );
  const said = metadata
    .flatMap((given) => [given?.finish_reason, given?.finishReason, given?.stop_reason, given?.stopReason])
    .find((reason) => reason !== undefined);
  if (said === undefined) return hasCalls ? 'tool_calls' : 'stop';
  if (/max_?tokens|length/i.test(said)) return 'length';
  if (/safety|content_?filter|recitation|blocked|guardrail/i.test(said)) return 'content_filter';
  return hasCalls ? 'tool_calls' : 'stop';
}
