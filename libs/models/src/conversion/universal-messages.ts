import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import {
  readThoughtSignature,
  type ApiFormat,
  type CacheBreakpoint,
  type NeutralMessage,
  type NeutralRequest,
} from '#libs/context';
import { isJsonObject, parseJson, type AssistantPart, type ContentPart, type JsonObject } from '#libs/domain';
import { withStatus } from './result-status.js';

type Block = { type: string; [key: string]: unknown };
type Tool = Extract<NeutralMessage, { role: 'tool' }>;

/** Where `@langchain/google-genai` keeps the thought signatures of calls, by the call's id. */
export const CALL_SIGNATURES = '__gemini_function_call_thought_signatures__';
/** Bedrock takes four (docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html). */
const MAX_CACHE_POINTS = 4;
const CACHE_POINT: Block = { type: 'cache_point', cachePoint: { type: 'default' } };

/** By format. Each message is converted once, as long as it lives. */
const converted = new Map<ApiFormat, WeakMap<NeutralMessage, BaseMessage>>();

/** A request as the messages that LangChain's package for this form takes. Cache points (Bedrock's) are set on copies. */
export function universalMessages(
  request: NeutralRequest,
  format: ApiFormat,
  breakpoints: readonly CacheBreakpoint[] = [],
): BaseMessage[] {
  const cache = converted.get(format) ?? new WeakMap<NeutralMessage, BaseMessage>();
  converted.set(format, cache);
  const marked = markedMessages(breakpoints);
  const messages = request.messages.map((message, index) => {
    const made = cache.get(message) ?? toLangChain(message, format);
    cache.set(message, made);
    return marked.has(index) ? withCachePoint(made) : made;
  });
  if (request.system === null) return messages;
  const isMarked = breakpoints.some(({ after }) => after === 'system');
  const system = isMarked ? [{ type: 'text', text: request.system }, CACHE_POINT] : request.system;
  return [new SystemMessage({ content: system }), ...messages];
}

/** The last ones reach farthest; one is left for the system prompt. */
const markedMessages = (breakpoints: readonly CacheBreakpoint[]): ReadonlySet<number> =>
  new Set(breakpoints.flatMap((mark) => (mark.after === 'message' ? [mark.index] : [])).slice(-(MAX_CACHE_POINTS - 1)));

function withCachePoint(message: BaseMessage): BaseMessage {
  const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const content = [...blocks, CACHE_POINT];
  if (ToolMessage.isInstance(message))
    return new ToolMessage({ content, tool_call_id: message.tool_call_id, name: message.name });
  // A point behind calls has no place in LangChain's form.
  if (AIMessage.isInstance(message))
    return message.tool_calls !== undefined && message.tool_calls.length > 0 ? message : new AIMessage({ content });
  return new HumanMessage({ content });
}

function toLangChain(message: NeutralMessage, format: ApiFormat): BaseMessage {
  switch (message.role) {
    case 'user':
      return new HumanMessage({ content: message.content.map(toBlock) });
    case 'assistant':
      return toAnswer(message, format);
    case 'tool':
      return format === 'gemini' ? geminiResult(message) : toResult(message, format);
  }
}

function toAnswer({ content, tool_calls: calls }: Extract<NeutralMessage, { role: 'assistant' }>, format: ApiFormat) {
  const signatures = content.map(readThoughtSignature).filter((read) => read !== null);
  const byId = signatures.flatMap(({ call, thought_signature: signature }): [string, string][] => {
    const id = call === null ? undefined : calls[call]?.id;
    return id === undefined ? [] : [[id, signature]];
  });
  return new AIMessage({
    content: content.flatMap((part) => answerBlock(part, format)),
    tool_calls: calls.map(({ id, name, arguments: text }) => ({ id, name, args: objectOf(text), type: 'tool_call' })),
    ...(byId.length === 0 ? {} : { additional_kwargs: { [CALL_SIGNATURES]: Object.fromEntries(byId) } }),
  });
}

/** Signatures stand beside the content; reasoning of another form was left out before. */
function answerBlock(part: AssistantPart, format: ApiFormat): Block[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type === 'thinking') {
    const { text, signature } = part;
    if (format === 'gemini') return [{ type: 'thinking', thinking: text, signature }];
    if (format === 'bedrock') return [{ type: 'reasoning_content', reasoningText: { text, signature } }];
  }
  if (part.type === 'redacted_thinking' && format === 'bedrock')
    return [{ type: 'reasoning_content', redactedContent: part.data }];
  return [];
}

/** Its package makes an error of it for the model. */
const geminiResult = ({ tool_call_id, name, status, content }: Tool): ToolMessage =>
  new ToolMessage({ tool_call_id, name, content: contentText(content), status: status === 'ok' ? 'success' : 'error' });

/** The status is lost on the way in these clients, so the text says it. */
function toResult({ tool_call_id, name, status, content }: Tool, format: ApiFormat): ToolMessage {
  const said = status === 'ok' ? 'success' : 'error';
  const isText = content.every((part) => part.type === 'text');
  if (format !== 'bedrock' || isText)
    return new ToolMessage({ tool_call_id, name, content: withStatus(status, contentText(content)), status: said });
  const blocks = content.map(toBlock);
  return new ToolMessage({
    tool_call_id,
    name,
    content: status === 'ok' ? blocks : [{ type: 'text', text: `[${status}]` }, ...blocks],
    status: said,
  });
}

/** LangChain's own blocks: every package makes its provider's of them. */
function toBlock(part: ContentPart): Block {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: part.url ?? `data:${part.media_type};base64,${part.data ?? ''}` } };
    case 'document':
      return {
        type: 'file',
        source_type: 'base64',
        mime_type: part.media_type,
        data: part.data,
        ...(part.name === undefined ? {} : { metadata: { name: plainName(part.name) } }),
      };
    case 'other':
      return { type: 'text', text: JSON.stringify(part.raw) };
  }
}

/** Bedrock takes letters, digits, spaces, hyphens and brackets in the name of a document. */
const plainName = (name: string): string =>
  name
    .replace(/[^a-zA-Z0-9\-()[\]]+/g, ' ')
    .trim()
    .slice(0, 150) || 'document';

const contentText = (parts: readonly ContentPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');

/** The repair has made sure that arguments are a JSON object. */
function objectOf(text: string): JsonObject {
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
}
