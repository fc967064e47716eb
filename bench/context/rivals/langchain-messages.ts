import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { NeutralMessage } from '../../../libs/context/src/index.js';
import type { Json, JsonObject } from '../../../libs/domain/src/index.js';
import { charsOf } from './sizes.js';

/** LangChain's messages beside ours: a message that a middleware passes on is the one that was given to it. */
export class LangChainHistory {
  private readonly ours = new WeakMap<BaseMessage, NeutralMessage>();
  private made = 0;

  theirs(message: NeutralMessage): BaseMessage {
    const made = this.toLangChain(message, `m${this.made}`);
    this.made += 1;
    this.ours.set(made, message);
    return made;
  }

  /** A message that was made or changed by a middleware is read from its text. */
  neutral(message: BaseMessage): NeutralMessage {
    const found = this.ours.get(message);
    if (found !== undefined) return found;
    const made = fromLangChain(message);
    this.ours.set(message, made);
    return made;
  }

  chars(messages: readonly BaseMessage[]): number {
    return charsOf(messages.map((message) => this.neutral(message)));
  }

  private toLangChain(message: NeutralMessage, id: string): BaseMessage {
    const text = message.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
    switch (message.role) {
      case 'user':
        return new HumanMessage({ id, content: text });
      case 'tool':
        return new ToolMessage({ id, content: text, tool_call_id: message.tool_call_id, name: message.name });
      case 'assistant':
        return new AIMessage({
          id,
          content: text,
          tool_calls: message.tool_calls.map((call) => ({ id: call.id, name: call.name, args: args(call.arguments) })),
        });
    }
  }
}

function args(text: string): JsonObject {
  try {
    const value: Json = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

function fromLangChain(message: BaseMessage): NeutralMessage {
  const content = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }];
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id, name } = message;
    return { role: 'tool', tool_call_id, name: name ?? '', status: 'ok', content };
  }
  if (AIMessage.isInstance(message)) {
    const calls = (message.tool_calls ?? []).map(({ id, name, args: given }) => ({
      id: id ?? '',
      name,
      arguments: JSON.stringify(given),
    }));
    return { role: 'assistant', content, tool_calls: calls };
  }
  return { role: 'user', content };
}
