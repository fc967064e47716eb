import { ChatOpenAIResponses, convertMessagesToResponsesInput } from '@langchain/openai';
import { toWire } from '#libs/context';
import { isJsonObject, type Json, type JsonObject } from '#libs/domain';
import type { ModelCall } from '#libs/engine';
import type { ConnectionSettings } from '#libs/platform';
import { ResponsesReader } from '../answer/responses-answer.js';
import { promptCacheKey } from '../conversion/prompt-cache-key.js';
import { passedThrough } from '../conversion/request-options.js';
import { responsesMessages } from '../conversion/responses-messages.js';
import { isStrictSchema } from '../conversion/strict-schema.js';
import { openAiClient } from './openai-client.js';
import type { Conversation } from './http-call.js';
import type { ModelTarget } from './provider.js';

/** Models that reason: others refuse to be asked for encrypted reasoning ("Encrypted content is not supported with this model"). */
const REASONS = /^(?:o\d|gpt-[5-9](?!.*chat)|codex)/;

/**
 * OpenAI's Responses API (`api_format: openai_responses`), through the class that LangChain's `useResponsesApi` ends in.
 * Stateless: nothing is stored there, reasoning comes and goes encrypted. Always as a stream, as with Anthropic. Its events
 * are read here, because LangChain passes over those that say that an answer failed.
 */
export async function converseInResponses(
  connection: ConnectionSettings,
  call: ModelCall,
  target: ModelTarget,
  { fetch, signal, answer }: Conversation,
): Promise<void> {
  if (call.settings.stop.length > 0)
    throw new Error('the Responses API has no stop sequences: leave `stop` out, or use api_format openai_chat');
  const model = responsesModel(connection, call, target, fetch);
  const options = callOptions(call, target, signal);
  const input = convertMessagesToResponsesInput({
    messages: responsesMessages(call.request),
    zdrEnabled: false,
    model: target.name,
  });
  const events = await model.completionWithRetry(
    {
      ...model.invocationParams(options),
      // LangChain leaves the plain words out.
      ...(call.request.tools.length === 0 ? {} : { tool_choice: call.settings.toolChoice }),
      input,
      stream: true,
    },
    { signal, maxRetries: 0 },
  );
  const reader = new ResponsesReader(answer);
  for await (const event of events) {
    const said = reader.add(event);
    if (said !== '') call.onDelta?.(said);
  }
}

function responsesModel(
  connection: ConnectionSettings,
  { request, settings, cacheKey }: ModelCall,
  target: ModelTarget,
  fetch: Conversation['fetch'],
): ChatOpenAIResponses {
  const reasoning = reasoningOf(settings.reasoning);
  const isReasoning = reasoning !== null || REASONS.test(target.name);
  return new ChatOpenAIResponses({
    ...openAiClient(connection, fetch),
    model: target.name,
    temperature: settings.temperature ?? undefined,
    maxTokens: settings.maxOutputTokens ?? undefined,
    promptCacheKey: target.facts.promptCaching ? promptCacheKey(connection.baseUrl, cacheKey) : undefined,
    modelKwargs: {
      ...(isReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
      ...passedThrough(settings.extra),
      ...(reasoning === null ? {} : { reasoning }),
      ...(request.system === null ? {} : { instructions: request.system }),
      store: false,
    },
  });
}

type CallOptions = NonNullable<Parameters<ChatOpenAIResponses['invocationParams']>[0]>;

function callOptions({ request, settings }: ModelCall, target: ModelTarget, signal: AbortSignal): CallOptions {
  const { outputSchema } = settings;
  // The tools of the other form: LangChain makes this one's of them, where a tool is strict unless it says otherwise.
  const tools = toWire({ ...request, system: null, messages: [] }, 'openai_chat').tools;
  return {
    signal,
    ...(tools.length === 0 ? {} : { tools, strict: false }),
    ...(outputSchema === null
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: 'output', schema: outputSchema, strict: isStrictSchema(outputSchema) },
          },
        }),
  };
}

const reasoningOf = (reasoning: Json): JsonObject | null => (isJsonObject(reasoning) ? reasoning : null);
