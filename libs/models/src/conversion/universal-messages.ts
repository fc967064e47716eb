import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { NeutralMessage, NeutralRequest } from '#libs/context';
import { isJsonObject, parseJson, type AssistantPart, type ContentPart, type JsonObject } from '#libs/domain';

/** A request as the messages that every LangChain model takes. Each message is converted once, as long as it lives. */
export function universalMessages(request: NeutralRequest): BaseMessage[] {
  const messages = request.messages.map((message) => {
    const known = converted.get(message);
    if (known !== undefined) return known;
    const made = toLangChain(message);
    converted.set(message, made);
    return made;
  });
  return request.system === null ? messages : [new SystemMessage(request.system), ...messages];
}

const converted = new WeakMap<NeutralMessage, BaseMessage>();

function toLangChain(message: NeutralMessage): BaseMessage {
  switch (message.role) {
    case 'user':
      return new HumanMessage({ content: message.content.map(toBlock) });
    case 'assistant':
      return new AIMessage({
        content: spokenText(message.content),
        tool_calls: message.tool_calls.map(({ id, name, arguments: text }) => ({
          id,
          name,
          args: objectOf(text),
          type: 'tool_call' as const,
        })),
      });
    case 'tool':
      // The status is lost on the way in most clients, so the text says it too.
      return new ToolMessage({
        tool_call_id: message.tool_call_id,
        name: message.name,
        content:
          message.status === 'ok'
            ? contentText(message.content)
            : `[${message.status}] ${contentText(message.content)}`,
        status: message.status === 'ok' ? 'success' : 'error',
      });
  }
}

type Block = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

function toBlock(part: ContentPart): Block {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') {
    const url = part.url ?? `data:${part.media_type ?? 'image/png'};base64,${part.data ?? ''}`;
    return { type: 'image_url', image_url: { url } };
  }
  return { type: 'text', text: `[${part.type}]` };
}

const contentText = (parts: readonly ContentPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');

const spokenText = (parts: readonly AssistantPart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');

/** The repair has made sure that arguments are a JSON object. */
function objectOf(text: string): JsonObject {
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
}
