import { setTimeout as sleep } from 'node:timers/promises';
import type { NeutralMessage, NeutralRequest } from '#libs/context';
import type { AssistantMessage, AssistantPart, ContentPart, Usage } from '#libs/domain';
import type { ModelCall, ModelOutcome } from '#libs/engine';
import { CallDeadline, MAX_TIMER_MS } from '../outcome/call-deadline.js';
import { costUsd } from '../outcome/cost.js';
import { modelFailure } from '../outcome/model-failure.js';
import type { ParsedReply } from '../scripts/script.js';
import type { Scripts } from '../scripts/scripts.js';
import type { ModelTarget, Provider } from './provider.js';

const CHARS_PER_TOKEN = 4;

/** `scripted:<name>`, for tests: answers by call position from a script. */
export function scripted(scripts: Scripts): Provider {
  return {
    check: (name) => scripts.check(name),
    async call(call, target) {
      const deadline = new CallDeadline(call);
      try {
        const reply = await scripts.reply(target.name, call);
        if (reply === null) {
          const { stepId, callNo } = call.position;
          return modelFailure(
            'invalid_request',
            `The script ${target.name} has no reply for call ${callNo} of step ${stepId}.`,
          );
        }
        await hold(scripts, reply, deadline.signal);
        return deadline.failure() ?? outcomeOf(reply, call, target);
      } catch (error) {
        const ended = deadline.failure();
        if (ended !== null) return ended;
        throw error;
      } finally {
        deadline.dispose();
      }
    },
  };
}

/** @throws AbortError when the deadline ends it. */
async function hold(scripts: Scripts, reply: ParsedReply, signal: AbortSignal): Promise<void> {
  if (reply.touch_file !== undefined) await scripts.touch(reply.touch_file);
  if (reply.delay_ms !== undefined) await sleep(reply.delay_ms, undefined, { signal });
  if (reply.wait_for_file !== undefined) await scripts.fileExists(reply.wait_for_file, signal);
  if (reply.hang === true) await sleep(MAX_TIMER_MS, undefined, { signal });
}

function outcomeOf(reply: ParsedReply, call: ModelCall, target: ModelTarget): ModelOutcome {
  const message = messageOf(reply, call);
  const usage = reply.usage === undefined ? estimatedUsage(call.request, message) : reply.usage;
  const cost = costUsd(usage, target.facts);
  if (reply.failure !== undefined) {
    const { class: failureClass, detail, retry_after_ms: retryAfterMs } = reply.failure;
    const isPartial = message.content.length > 0 || message.tool_calls.length > 0;
    return modelFailure(failureClass, detail ?? `scripted failure: ${failureClass}`, {
      retryAfterMs,
      partial: isPartial ? message : null,
    });
  }
  sendDeltas(message, call.onDelta);
  return {
    kind: 'answer',
    message,
    finishReason: reply.finish_reason ?? (message.tool_calls.length > 0 ? 'tool_calls' : 'stop'),
    usage,
    costUsd: cost,
    wireHash: null,
    providerPayload: null,
  };
}

function messageOf(reply: ParsedReply, call: ModelCall): AssistantMessage {
  const content: AssistantPart[] = [...(reply.parts ?? [])];
  if (reply.text !== undefined && reply.text !== '') content.push({ type: 'text', text: fillIn(reply.text, call) });
  const toolCalls = (reply.tool_calls ?? []).map((toolCall, ordinal) => ({
    id: toolCall.id ?? `call_${call.position.callNo}_${ordinal}`,
    name: toolCall.name,
    arguments: typeof toolCall.arguments === 'string' ? toolCall.arguments : JSON.stringify(toolCall.arguments),
  }));
  return { content, tool_calls: toolCalls };
}

function fillIn(text: string, { request, position }: ModelCall): string {
  const values: ReadonlyMap<string, () => string> = new Map([
    ['last_user', () => lastText(request.messages, 'user')],
    ['last_tool_result', () => lastText(request.messages, 'tool')],
    ['call', () => String(position.callNo)],
    ['messages', () => String(request.messages.length)],
  ]);
  return text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values.get(name)?.() ?? placeholder);
}

function lastText(messages: readonly NeutralMessage[], role: 'user' | 'tool'): string {
  const message = messages.findLast((candidate) => candidate.role === role);
  if (message === undefined || message.role === 'assistant') return '';
  return message.content.map((part: ContentPart) => (part.type === 'text' ? part.text : '')).join('');
}

function sendDeltas(message: AssistantMessage, onDelta: ModelCall['onDelta']): void {
  if (onDelta === null) return;
  for (const part of message.content) {
    if (part.type === 'text') for (const word of part.text.split(/(?<=\s)/)) onDelta(word);
  }
}

function estimatedUsage(request: NeutralRequest, message: AssistantMessage): Usage {
  const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / CHARS_PER_TOKEN);
  return { input_tokens: tokens(request), cached_tokens: 0, cache_write_tokens: 0, output_tokens: tokens(message) };
}
