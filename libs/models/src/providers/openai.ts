import { ChatOpenAICompletions } from '@langchain/openai';
import { toWire } from '#libs/context';
import { isJsonObject, type Json, type JsonObject } from '#libs/domain';
import type { ModelCall } from '#libs/engine';
import type { ResolveHost } from '#libs/outbound';
import type { ConnectionSettings } from '#libs/platform';
import { addOpenAiResponse, readOpenAiUsage } from '../answer/openai-answer.js';
import { openAiMessages } from '../conversion/openai-messages.js';
import { promptCacheKey } from '../conversion/prompt-cache-key.js';
import { passedThrough } from '../conversion/request-options.js';
import { isStrictSchema } from '../conversion/strict-schema.js';
import { openAiClient } from './openai-client.js';
import { converseInResponses } from './openai-responses.js';
import { HttpCalls, type Conversation } from './http-call.js';
import type { ModelTarget, Provider } from './provider.js';

/** OpenAI Chat Completions or Responses, as the model's `api_format` says, and every server that speaks them (`base_url`). */
export function openAi(connection: ConnectionSettings, resolve?: ResolveHost): Provider {
  const calls = new HttpCalls(connection, resolve);
  return {
    check: () => null,
    call: (call, target) =>
      calls.run(call, target, (conversation) => {
        const speak = target.facts.apiFormat === 'openai_responses' ? converseInResponses : converse;
        return speak(connection, call, target, conversation);
      }),
  };
}

/**
 * `_generate` and `_streamResponseChunks` are what `invoke` and `stream` end in. Those add tracing, which would send
 * prompts elsewhere when an environment variable says so, and join the chunks of a stream again at each one.
 */
async function converse(
  connection: ConnectionSettings,
  call: ModelCall,
  target: ModelTarget,
  { fetch, signal, answer }: Conversation,
): Promise<void> {
  const model = chatModel(connection, call, target, fetch);
  const messages = openAiMessages(call.request, target.facts.apiFormat);
  const options = callOptions(call, target, signal);
  // LangChain hands a request with a schema to the SDK's `parse`, which throws for answers cut by length; a stream it does not.
  if (call.onDelta === null && call.settings.outputSchema === null) {
    const { generations } = await model._generate(messages, options);
    addOpenAiResponse(generations[0]?.message.additional_kwargs['__raw_response'], answer);
    return;
  }
  for await (const { message } of model._streamResponseChunks(messages, options)) {
    const raw = message.additional_kwargs['__raw_response'];
    // The last chunk carries nothing but the usage.
    if (raw === undefined) answer.usage = readOpenAiUsage(message.response_metadata) ?? answer.usage;
    else {
      const said = addOpenAiResponse(raw, answer);
      if (said !== '') call.onDelta?.(said);
    }
  }
}

function chatModel(
  connection: ConnectionSettings,
  call: ModelCall,
  target: ModelTarget,
  fetch: Conversation['fetch'],
): ChatOpenAICompletions {
  const { settings } = call;
  return new ChatOpenAICompletions({
    ...openAiClient(connection, fetch),
    model: target.name,
    __includeRawResponse: true,
    temperature: settings.temperature ?? undefined,
    maxTokens: settings.maxOutputTokens ?? undefined,
    stop: settings.stop.length > 0 ? settings.stop : undefined,
    modelKwargs: { ...reasoningOf(settings.reasoning), ...passedThrough(settings.extra) },
    promptCacheKey: target.facts.promptCaching ? promptCacheKey(connection.baseUrl, call.cacheKey) : undefined,
  });
}

type CallOptions = Parameters<ChatOpenAICompletions['_generate']>[1];

function callOptions({ request, settings }: ModelCall, target: ModelTarget, signal: AbortSignal): CallOptions {
  const { outputSchema, toolChoice } = settings;
  const hasTools = request.tools.length > 0;
  return {
    signal,
    ...(hasTools
      ? {
          tools: toWire({ ...request, system: null, messages: [] }, target.facts.apiFormat).tools,
          tool_choice: toolChoice,
        }
      : {}),
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

/** `{ effort: "low" }` as the API names it; anything else goes out as it is. */
function reasoningOf(reasoning: Json): JsonObject {
  if (!isJsonObject(reasoning)) return {};
  const { effort, ...rest } = reasoning;
  return { ...(effort === undefined ? {} : { reasoning_effort: effort }), ...rest };
}
