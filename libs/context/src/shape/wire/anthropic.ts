import type { AssistantPart, ContentPart, JsonObject } from '#libs/domain';
import type { NeutralMessage, NeutralRequest, ToolDeclaration } from '../../neutral.js';
import { parseArguments } from '../call-arguments.js';
import type { WireBody } from './wire-body.js';

type Turn = { role: 'user' | 'assistant'; content: JsonObject[] };

/**
 * Anthropic Messages: results are blocks of the user message behind their calls, all of an answer's results in one (row 13);
 * what a user says next follows them in the same message. Neighbours of one role are joined, as the API would do itself.
 */
export function anthropicBody(request: NeutralRequest): WireBody {
  const turns: Turn[] = [];
  for (const message of request.messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  return {
    system: request.system,
    messages: turns.map(({ role, content }) => ({ role, content })),
    tools: request.tools.map(anthropicTool),
  };
}

function blocksOf(message: NeutralMessage): JsonObject[] {
  switch (message.role) {
    case 'user':
      return message.content.map(contentBlock);
    case 'tool':
      return [
        {
          type: 'tool_result',
          tool_use_id: message.tool_call_id,
          content: message.content.map(contentBlock),
          ...(message.status === 'ok' ? {} : { is_error: true }),
        },
      ];
    case 'assistant':
      return [
        ...message.content.map(answerBlock),
        ...message.tool_calls.map(({ id, name, arguments: given }) => ({
          type: 'tool_use',
          id,
          name,
          input: parseArguments(given) ?? {},
        })),
      ];
  }
}

function contentBlock(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: sourceOf(part) };
    case 'document':
      return { type: 'document', source: sourceOf(part), ...(part.name === undefined ? {} : { title: part.name }) };
    case 'other':
      return { type: 'text', text: JSON.stringify(part.raw) };
  }
}

function sourceOf(part: { media_type?: string; data?: string; url?: string }): JsonObject {
  return part.data === undefined || part.data === ''
    ? { type: 'url', url: part.url ?? '' }
    : { type: 'base64', media_type: part.media_type ?? '', data: part.data };
}

function answerBlock(part: AssistantPart): JsonObject {
  switch (part.type) {
    case 'thinking':
      return { type: 'thinking', thinking: part.text, signature: part.signature ?? '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: part.data };
    case 'opaque':
      return { type: 'text', text: JSON.stringify(part.raw) };
    case 'text':
    case 'image':
    case 'other':
      return contentBlock(part);
  }
}

/** The API insists on `type: object`, also where a schema says nothing. */
const anthropicTool = ({ name, description, parameters }: ToolDeclaration): JsonObject => ({
  name,
  ...(description === '' ? {} : { description }),
  input_schema: { type: 'object', ...parameters },
});
