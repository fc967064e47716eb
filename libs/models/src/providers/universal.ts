import type { AIMessage } from '@langchain/core/messages';
import { initChatModel } from 'langchain';
import { z } from 'zod';
import { toWire } from '#libs/context';
import type { FinishReason } from '#libs/domain';
import type { ModelCall, ModelOutcome } from '#libs/engine';
import { addressRefusal, Outbound, type ResolveHost } from '#libs/outbound';
import type { ConnectionSettings } from '#libs/platform';
import { concludeAnswer } from '../answer/conclude-answer.js';
import { ReceivedAnswer } from '../answer/received-answer.js';
import { universalMessages } from '../conversion/universal-messages.js';
import { classifyProviderError } from '../failures/classify-provider-error.js';
import { readProviderError } from '../failures/provider-error.js';
import { safeDetail } from '../failures/safe-detail.js';
import { CallDeadline } from '../outcome/call-deadline.js';
import { modelFailure } from '../outcome/model-failure.js';
import type { ModelTarget, Provider } from './provider.js';

/** LangChain's names of the providers that an operator may install, and the package each needs. */
const INSTALLABLE = {
  google: { provider: 'google-genai', package: '@langchain/google-genai' },
  bedrock: { provider: 'bedrock', package: '@langchain/aws' },
} as const;

/**
 * Providers whose LangChain package the operator installed beside Weir, through LangChain's own `initChatModel`. They get
 * the forms that every LangChain model takes; there is no hash of the body as sent, because their clients own their HTTP.
 */
export function universal(
  connection: ConnectionSettings,
  kind: keyof typeof INSTALLABLE,
  resolve?: ResolveHost,
): Provider {
  const outbound = new Outbound({ allowsPrivate: () => connection.allowPrivateAddresses, resolve });
  return {
    check: () => null,
    call: async (call, target) => {
      const deadline = new CallDeadline(call);
      try {
        // Their clients open their own sockets: all that can be done is to look before.
        if (connection.baseUrl !== null) await outbound.check(new URL(connection.baseUrl));
        const message = await invoke(connection, call, target, { signal: deadline.signal, kind });
        return deadline.failure() ?? answered(message, connection, target);
      } catch (error) {
        return deadline.failure() ?? failed(error, connection, kind);
      } finally {
        deadline.dispose();
      }
    },
  };
}

async function invoke(
  connection: ConnectionSettings,
  call: ModelCall,
  target: ModelTarget,
  { signal, kind }: { signal: AbortSignal; kind: keyof typeof INSTALLABLE },
): Promise<AIMessage> {
  const { settings, request } = call;
  const model = await initChatModel(target.name, {
    modelProvider: INSTALLABLE[kind].provider,
    maxRetries: 0,
    ...(connection.apiKey === null ? {} : { apiKey: connection.apiKey }),
    ...(connection.baseUrl === null ? {} : { baseUrl: connection.baseUrl }),
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    ...(settings.maxOutputTokens === null
      ? {}
      : { maxOutputTokens: settings.maxOutputTokens, maxTokens: settings.maxOutputTokens }),
    ...(settings.stop.length === 0 ? {} : { stopSequences: settings.stop }),
    ...settings.extra,
  });
  const tools = toWire({ ...request, system: null, messages: [] }, 'openai_chat').tools;
  const bound = tools.length === 0 ? model : model.bindTools(tools, { tool_choice: settings.toolChoice });
  // No callbacks: tracing would send prompts elsewhere when an environment variable says so.
  return bound.invoke(universalMessages(request), { signal, callbacks: [] });
}

const usageShape = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  input_token_details: z
    .object({ cache_read: z.number().optional(), cache_creation: z.number().optional() })
    .optional(),
});
const metadataShape = z.looseObject({
  finish_reason: z.string().optional(),
  finishReason: z.string().optional(),
  stop_reason: z.string().optional(),
  stopReason: z.string().optional(),
});

function answered(message: AIMessage, connection: ConnectionSettings, { facts }: ModelTarget): ModelOutcome {
  const answer = new ReceivedAnswer();
  if (message.text !== '') answer.addText(0, message.text);
  const calls = [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])];
  for (const [index, { id, name, args }] of calls.entries()) {
    answer.addCall(index, { id, name, piece: typeof args === 'string' ? args : JSON.stringify(args ?? {}) });
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
  return concludeAnswer(answer, { provider: connection.name, facts, wireHash: null });
}

function finishReasonOf(message: AIMessage, hasCalls: boolean): FinishReason {
  const metadata = metadataShape.safeParse(message.response_metadata);
  const said = metadata.success
    ? (metadata.data.finish_reason ??
      metadata.data.finishReason ??
      metadata.data.stop_reason ??
      metadata.data.stopReason ??
      '')
    : '';
  if (/max_?tokens|length/i.test(said)) return 'length';
  if (/safety|content_?filter|recitation|blocked|guardrail/i.test(said)) return 'content_filter';
  return hasCalls ? 'tool_calls' : 'stop';
}

function failed(error: unknown, connection: ConnectionSettings, kind: keyof typeof INSTALLABLE): ModelOutcome {
  const refusal = addressRefusal(error);
  if (refusal !== null) return modelFailure('invalid_request', `${connection.name}: ${refusal.message}.`);
  const message = error instanceof Error ? error.message : String(error);
  const needed = INSTALLABLE[kind].package;
  if (message.includes('Unable to import') || message.includes('Cannot find')) {
    return modelFailure(
      'invalid_request',
      `${connection.name}: the provider ${kind} needs the package ${needed}, which is not installed: npm install ${needed}`,
    );
  }
  const status = statusOf(error);
  const { class: failureClass, explanation } = classifyProviderError(readProviderError({ error: { message } }), status);
  const keys = connection.apiKey === null ? [] : [connection.apiKey];
  return modelFailure(failureClass, `${connection.name}: ${explanation}: ${safeDetail(message, '', keys)}`);
}

function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null;
  const status = 'status' in error ? error.status : 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' ? status : null;
}
