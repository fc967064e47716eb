import { ChatAnthropic } from '@langchain/anthropic';
import { isAIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { mayThink } from '#libs/context';
import { isJsonObject, type JsonObject } from '#libs/domain';
import type { ModelCall } from '#libs/engine';
import type { ResolveHost } from '#libs/outbound';
import type { ConnectionSettings } from '#libs/platform';
import { addAnthropicChunk } from '../answer/anthropic-answer.js';
import { anthropicMessages, anthropicTools } from '../conversion/anthropic-messages.js';
import { outputForm, takeAnswer, type OutputForm } from '../conversion/anthropic-output.js';
import { passedThrough } from '../conversion/request-options.js';
import { MAX_TIMER_MS } from '../outcome/call-deadline.js';
import { HttpCalls, type Conversation } from './http-call.js';
import type { ModelTarget, Provider } from './provider.js';

const ANTHROPIC_URL = 'https://api.anthropic.com';
const NO_KEY = 'none';
/** The API insists on a bound; for a model that the catalogue does not know. */
const DEFAULT_MAX_TOKENS = 8_192;

/** Anthropic Messages, through LangChain. */
export function anthropic(connection: ConnectionSettings, resolve?: ResolveHost): Provider {
  const calls = new HttpCalls(connection, resolve);
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
  const output = outputForm({ settings: call.settings, tools: call.request.tools, takesSchema: target.takesSchema });
  const model = chatModel(connection, call, target, { fetch, output });
  const { messages, options } = requestOf(call, target, output);
  for await (const { message } of model._streamResponseChunks(messages, { ...options, signal })) {
    if (!isAIMessageChunk(message)) continue;
    const said = addAnthropicChunk(message, answer);
    // Where the answer is a call, other text is not the answer.
    if (said !== '' && output?.kind !== 'tool') call.onDelta?.(said);
  }
  if (output?.kind === 'tool') takeAnswer(answer, output);
}

type ChatOptions = Parameters<ChatAnthropic['_streamResponseChunks']>[1];

function requestOf(
  { request, settings, cacheBreakpoints }: ModelCall,
  { facts }: ModelTarget,
  output: OutputForm | null,
): { messages: BaseMessage[]; options: ChatOptions } {
  const breakpoints = facts.promptCaching ? cacheBreakpoints : [];
  const instruction = output?.kind === 'prompt' ? output.instruction : null;
  const messages = anthropicMessages(request, facts.apiFormat, breakpoints, instruction);
  const tools = output?.kind === 'tool' ? [...request.tools, output.tool] : request.tools;
  if (tools.length === 0) return { messages, options: {} };
  return {
    messages,
    options: {
      tools: anthropicTools({ ...request, tools }, facts.apiFormat, breakpoints),
      tool_choice: toolChoiceOf(settings.toolChoice, request.tools.length > 0, output),
    },
  };
}

/** A forced answer: that tool where no other may be called, else any tool. */
function toolChoiceOf(
  asked: 'auto' | 'none',
  hasOthers: boolean,
  output: OutputForm | null,
): ChatOptions['tool_choice'] {
  if (output?.kind !== 'tool' || !output.isForced) return asked;
  return hasOthers && asked === 'auto' ? 'any' : { type: 'tool', name: output.tool.name };
}

function chatModel(
  connection: ConnectionSettings,
  call: ModelCall,
  target: ModelTarget,
  { fetch, output }: { fetch: Conversation['fetch']; output: OutputForm | null },
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
    invocationKwargs: { ...outputAndThinking(call, output), ...passedThrough(settings.extra) },
  });
}

/**
 * `{ effort }` and a schema go where the API has them, everything else of `reasoning` is its `thinking` object: left out of a
 * request whose tool loop did not begin with thinking, which the API would refuse.
 */
function outputAndThinking({ request, settings: { reasoning } }: ModelCall, output: OutputForm | null): JsonObject {
  const { effort, ...thinking } = isJsonObject(reasoning) ? reasoning : {};
  const config: JsonObject = {
    ...(effort === undefined ? {} : { effort }),
    ...(output?.kind === 'format' ? { format: { type: 'json_schema', schema: output.schema } } : {}),
  };
  return {
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
    ...(Object.keys(thinking).length === 0 || !mayThink(request.messages) ? {} : { thinking }),
  };
}
