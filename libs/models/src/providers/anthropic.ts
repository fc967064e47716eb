import { ChatAnthropic } from '@langchain/anthropic';
import { isAIMessageChunk } from '@langchain/core/messages';
import { isJsonObject, type JsonObject } from '#libs/domain';
import type { ModelCall } from '#libs/engine';
import type { ConnectionSettings } from '#libs/platform';
import { addAnthropicChunk } from '../answer/anthropic-answer.js';
import { anthropicMessages, anthropicTools } from '../conversion/anthropic-messages.js';
import { passedThrough } from '../conversion/request-options.js';
import { MAX_TIMER_MS } from '../outcome/call-deadline.js';
import { HttpCalls, type Conversation } from './http-call.js';
import type { ModelTarget, Provider } from './provider.js';

const ANTHROPIC_URL = 'https://api.anthropic.com';
const NO_KEY = 'none';
/** The API insists on a bound; for a model that the catalogue does not know. */
const DEFAULT_MAX_TOKENS = 8_192;

/** Anthropic Messages, through LangChain. */
export function anthropic(connection: ConnectionSettings): Provider {
  const calls = new HttpCalls(connection);
  return {
    check: () => null,
    call: (call, target) => calls.run(call, target, (conversation) => converse(connection, call, target, conversation)),
  };
}

/**
 * Always as a stream, whether somebody listens or not: arguments of calls then come as the text that the model wrote, pings
 * keep long answers from looking idle, and the API asks for it where an answer may take minutes. About
 * `_streamResponseChunks` see `openai.ts`.
 */
async function converse(
  connection: ConnectionSettings,
  call: ModelCall,
  target: ModelTarget,
  { fetch, signal, answer }: Conversation,
): Promise<void> {
  const { request, settings } = call;
  const { apiFormat, promptCaching } = target.facts;
  const breakpoints = promptCaching ? call.cacheBreakpoints : [];
  const messages = anthropicMessages(request, apiFormat, breakpoints, instructionFor(settings.outputSchema));
  const options = {
    signal,
    ...(request.tools.length > 0
      ? { tools: anthropicTools(request, apiFormat, breakpoints), tool_choice: settings.toolChoice }
      : {}),
  };
  const model = chatModel(connection, call, target, fetch);
  for await (const { message } of model._streamResponseChunks(messages, options)) {
    if (!isAIMessageChunk(message)) continue;
    const said = addAnthropicChunk(message, answer);
    if (said !== '') call.onDelta?.(said);
  }
}

function chatModel(
  connection: ConnectionSettings,
  call: ModelCall,
  target: ModelTarget,
  fetch: Conversation['fetch'],
): ChatAnthropic {
  const { settings } = call;
  return new ChatAnthropic({
    model: target.name,
    apiKey: connection.apiKey ?? NO_KEY,
    anthropicApiUrl: connection.baseUrl ?? ANTHROPIC_URL,
    clientOptions: { fetch, timeout: MAX_TIMER_MS, authToken: null },
    maxRetries: 0,
    maxTokens: settings.maxOutputTokens ?? target.facts.maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    temperature: settings.temperature ?? undefined,
    stopSequences: settings.stop.length > 0 ? settings.stop : undefined,
    invocationKwargs: { ...reasoningOf(call), ...passedThrough(settings.extra) },
  });
}

/** `{ effort }` goes where the API has it, everything else is its `thinking` object. */
function reasoningOf({ settings: { reasoning } }: ModelCall): JsonObject {
  if (!isJsonObject(reasoning)) return {};
  const { effort, ...thinking } = reasoning;
  return {
    ...(effort === undefined ? {} : { output_config: { effort } }),
    ...(Object.keys(thinking).length === 0 ? {} : { thinking }),
  };
}

/** Structured output by asking for it: works with tools, with thinking and on every model; the answer is checked by the engine. */
function instructionFor(schema: JsonObject | null): string | null {
  if (schema === null) return null;
  return `Your final answer must be one JSON value that fits this JSON Schema, and nothing else: no text around it, no code fence.\n${JSON.stringify(schema)}`;
}
