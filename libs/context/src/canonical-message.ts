import { canonicalJson, quoteJson, type AssistantPart, type ContentPart, type ToolCall } from '#libs/domain';
import type { NeutralMessage } from './neutral.js';

/**
 * `canonicalJson` of a message. Its keys are known, so they are written down in their order; only what a provider or a caller
 * made up is sorted.
 */
export function canonicalMessage(message: NeutralMessage): string {
  const content = list(message.content, canonicalPart);
  switch (message.role) {
    case 'user':
      return `{"content":${content},"role":"user"}`;
    case 'assistant':
      return `{"content":${content},"role":"assistant","tool_calls":${list(message.tool_calls, canonicalCall)}}`;
    case 'tool': {
      const { name, status, tool_call_id: id } = message;
      return `{"content":${content},"name":${quoteJson(name)},"role":"tool","status":"${status}","tool_call_id":${quoteJson(id)}}`;
    }
  }
}

const canonicalPart = (part: ContentPart | AssistantPart): string =>
  part.type === 'text' ? `{"text":${quoteJson(part.text)},"type":"text"}` : canonicalJson(part);

const canonicalCall = ({ arguments: given, id, name }: ToolCall): string =>
  `{"arguments":${quoteJson(given)},"id":${quoteJson(id)},"name":${quoteJson(name)}}`;

/** Mostly of one member. */
function list<T>(members: readonly T[], canonical: (member: T) => string): string {
  const [only] = members;
  if (only === undefined) return '[]';
  return members.length === 1 ? `[${canonical(only)}]` : `[${members.map(canonical).join(',')}]`;
}
