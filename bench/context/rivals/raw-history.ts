import type { NeutralMessage } from '../../../libs/context/src/index.js';
import { describePart, knownPart } from '../../../libs/context/src/shape/describe-part.js';
import { isReasoning } from '../../../libs/context/src/shape/fit-item.js';
import type { Content, ContentPart, StoredEvent } from '../../../libs/domain/src/index.js';

const parts = (content: Content): ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : [...content];

/** The message that an application without repair keeps of an event; null where it keeps none. */
export function rawMessage({ type, data }: Pick<StoredEvent, 'type' | 'data'>): NeutralMessage | null {
  const body = { type, data } as StoredEvent;
  if (body.type === 'UserMessageReceived' || body.type === 'DocumentsProvided')
    return { role: 'user', content: parts(body.data.content) };
  if (body.type === 'LlmCallCompleted') return { role: 'assistant', ...body.data.message };
  if (body.type !== 'ToolCallCompleted') return null;
  const { tool_call_id, name, status, content } = body.data;
  return status === 'pending' ? null : { role: 'tool', tool_call_id, name, status, content: parts(content) };
}

/** The message as an adapter for the OpenAI form sends it: without reasoning. So sizes are compared, not adapters. */
export function withoutReasoning(message: NeutralMessage): NeutralMessage {
  if (message.role !== 'assistant') return message;
  return { ...message, content: message.content.filter((part) => !isReasoning(part)) };
}

/** The same with text in place of what a tool's result may not hold in that form. */
export function asSent(message: NeutralMessage): NeutralMessage {
  if (message.role !== 'tool') return withoutReasoning(message);
  return { ...message, content: message.content.map((part) => asText(part)) };
}

function asText(part: ContentPart): ContentPart {
  const known = part.type === 'other' ? knownPart(part.raw) : part;
  if (known === null || known.type === 'text') return part;
  return { type: 'text', text: describePart(known.type, known) };
}
