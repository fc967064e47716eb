import type { AIMessage } from '@langchain/core/messages';
import { initChatModel } from 'langchain';
import { declaredTools, toWire } from '#libs/context';
import type { JsonObject } from '#libs/domain';
import type { ModelCall, ModelOutcome } from '#libs/engine';
import { addressRefusal, Outbound, type ResolveHost } from '#libs/outbound';
import type { ConnectionSettings } from '#libs/platform';
import { concludeAnswer } from '../answer/conclude-answer.js';
import { universalAnswer } from '../answer/universal-answer.js';
import { universalMessages } from '../conversion/universal-messages.js';
import { classifyProviderError } from '../failures/classify-provider-error.js';
import { readProviderError } from '../failures/provider-error.js';
import { safeDetail } from '../failures/safe-detail.js';
import { CallDeadline } from '../outcome/call-deadline.js';
import { modelFailure } from '../outcome/model-failure.js';
import { groupResults } from './group-results.js';
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
        return (
          deadline.failure() ??
          concludeAnswer(universalAnswer(message), { provider: connection.name, facts: target.facts, wireHash: null })
        );
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
  const { apiFormat, promptCaching } = target.facts;
  const configurable = await initChatModel(target.name, {
    modelProvider: INSTALLABLE[kind].provider,
    maxRetries: 0,
    ...(kind === 'google' ? googleFields(connection) : bedrockFields(connection)),
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    ...(settings.maxOutputTokens === null
      ? {}
      : { maxOutputTokens: settings.maxOutputTokens, maxTokens: settings.maxOutputTokens }),
    ...(settings.stop.length === 0 ? {} : { stopSequences: settings.stop }),
    ...settings.extra,
  });
  const model = await configurable._getModelInstance();
  if (kind === 'google') groupResults(model);
  const declared = kind === 'bedrock' ? declaredTools(request) : request.tools;
  const tools = toWire({ system: null, tools: [...declared], messages: [] }, 'openai_chat').tools;
  // Converse has no word for "none" (API_runtime_ToolChoice), and its package refuses what a model is not known to take.
  const choice = kind === 'bedrock' ? {} : { tool_choice: settings.toolChoice };
  const bound = tools.length === 0 ? model : (model.bindTools?.(tools, choice) ?? model);
  const breakpoints = kind === 'bedrock' && promptCaching ? call.cacheBreakpoints : [];
  // No callbacks: tracing would send prompts elsewhere when an environment variable says so.
  return bound.invoke(universalMessages(request, apiFormat, breakpoints), { signal, callbacks: [] });
}

const googleFields = ({ apiKey, baseUrl }: ConnectionSettings): JsonObject => ({
  ...(apiKey === null ? {} : { apiKey }),
  ...(baseUrl === null ? {} : { baseUrl }),
});

/** Without a key the AWS credentials of the process count. The SDK's own retries are switched off: retries are ours. */
function bedrockFields({ apiKey, baseUrl }: ConnectionSettings): JsonObject {
  const host = baseUrl === null ? null : new URL(baseUrl).host;
  const region = host === null ? undefined : /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(host)?.[1];
  return {
    clientOptions: { maxAttempts: 1 },
    ...(apiKey === null ? {} : { bedrockBearerToken: apiKey }),
    ...(host === null ? {} : { endpointHost: host }),
    ...(region === undefined ? {} : { region }),
  };
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
