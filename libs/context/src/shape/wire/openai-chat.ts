import type { ContentPart, JsonObject } from '#libs/domain';
import type { NeutralMessage, NeutralRequest, ToolDeclaration } from '../../neutral.js';
import type { WireBody } from './wire-body.js';

/** Chat Completions (API reference, "messages"): an answer that only calls has `content: null`. */
export function openaiChatBody(request: NeutralRequest): WireBody {
  return {
    system: request.system,
    messages: request.messages.map((message) => openaiMessage(message, null)),
    tools: request.tools.map(openaiTool),
  };
}

/** As Chat Completions, all content as strings: templates take nothing else for granted, null neither. */
export function strictChatBody(request: NeutralRequest): WireBody {
  const messages = request.messages.map((message) => ({
    ...openaiMessage(message, ''),
    ...(message.role === 'user' ? { content: textOf(message.content) } : {}),
  }));
  return { system: request.system, messages, tools: request.tools.map(openaiTool) };
}

function openaiMessage(message: NeutralMessage, noText: '' | null): JsonObject {
  switch (message.role) {
    case 'user': {
      const [only] = message.content;
      const isPlain = message.content.length === 1 && only?.type === 'text';
      return { role: 'user', content: isPlain ? only.text : message.content.map(openaiPart) };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content: textOf(message.content) };
    case 'assistant': {
      const said = textOf(message.content);
      const calls = message.tool_calls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: given },
      }));
      return {
        role: 'assistant',
        content: said === '' ? noText : said,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      };
    }
  }
}

function openaiPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: sourceUrl(part) } };
    case 'document':
      return { type: 'file', file: { filename: part.name ?? 'document.pdf', file_data: sourceUrl(part) } };
    case 'other':
      return { type: 'text', text: JSON.stringify(part.raw) };
  }
}

/** An address, or the bytes as a data URL. */
export function sourceUrl(part: { media_type?: string; data?: string; url?: string }): string {
  return part.data === undefined || part.data === ''
    ? (part.url ?? '')
    : `data:${part.media_type ?? ''};base64,${part.data}`;
}

const textOf = (parts: NeutralMessage['content']): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');

const openaiTool = ({ name, description, parameters }: ToolDeclaration): JsonObject => ({
  type: 'function',
  function: { name, ...(description === '' ? {} : { description }), parameters },
});
