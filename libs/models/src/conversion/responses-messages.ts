import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { toWire, type NeutralMessage, type NeutralRequest } from '#libs/context';
import { z } from 'zod';
import { withStatus } from './result-status.js';

const contentList = z.array(z.looseObject({ type: z.string() }));
const wireItem = z.looseObject({
  content: contentList.optional(),
  output: z.union([z.string(), contentList]).optional(),
});

/** Each message is converted once, as long as it lives. */
const converted = new WeakMap<NeutralMessage, BaseMessage>();

/** A request as LangChain messages whose `input` is exactly that of `toWire`. The system prompt is not among them. */
export function responsesMessages({ messages }: NeutralRequest): BaseMessage[] {
  return messages.map((message) => {
    const known = converted.get(message);
    if (known !== undefined) return known;
    const fresh = convert(message);
    converted.set(message, fresh);
    return fresh;
  });
}

function convert(message: NeutralMessage): BaseMessage {
  const items = toWire({ system: null, messages: [message], tools: [] }, 'openai_responses').messages;
  switch (message.role) {
    case 'user':
      return new HumanMessage({ content: wireItem.parse(items[0]).content ?? [] });
    case 'tool': {
      const output = wireItem.parse(items[0]).output ?? '';
      const { status, tool_call_id } = message;
      if (typeof output === 'string') return new ToolMessage({ tool_call_id, content: withStatus(status, output) });
      const said = status === 'ok' ? [] : [{ type: 'input_text', text: `[${status}]` }];
      return new ToolMessage({ tool_call_id, content: [...said, ...output] });
    }
    case 'assistant':
      // What LangChain finds there it sends as it is, argument strings and encrypted items included.
      return new AIMessage({ content: '', response_metadata: { output: items } });
  }
}
