import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { toWire, type ApiFormat, type NeutralMessage, type NeutralRequest } from '#libs/context';
import { z } from 'zod';
import { withStatus } from './result-status.js';

const wireMessage = z.object({
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .optional(),
});

/** Converting a long conversation costs tens of ms: each message is converted once, as long as it lives. */
const converted = new Map<ApiFormat, WeakMap<NeutralMessage, BaseMessage>>();

/** A request as LangChain messages whose Chat Completions form is exactly that of `toWire`. */
export function openAiMessages(request: NeutralRequest, format: ApiFormat): BaseMessage[] {
  const cache = converted.get(format) ?? new WeakMap<NeutralMessage, BaseMessage>();
  converted.set(format, cache);
  const messages = request.messages.map((message) => {
    const known = cache.get(message);
    if (known !== undefined) return known;
    const fresh = convert(message, format);
    cache.set(message, fresh);
    return fresh;
  });
  return request.system === null ? messages : [new SystemMessage(request.system), ...messages];
}

function convert(message: NeutralMessage, format: ApiFormat): BaseMessage {
  const wire = wireMessage.parse(toWire({ system: null, messages: [message], tools: [] }, format).messages[0]);
  const content = wire.content ?? '';
  switch (message.role) {
    case 'user':
      return new HumanMessage({ content });
    case 'tool':
      return new ToolMessage({
        tool_call_id: message.tool_call_id,
        content: withStatus(message.status, typeof content === 'string' ? content : ''),
      });
    case 'assistant': {
      const answer = new AIMessage({ content });
      // Set behind the constructor, which would parse the calls: their arguments must go out as the strings they are.
      if (wire.tool_calls !== undefined)
        answer.additional_kwargs = {
          tool_calls: wire.tool_calls.map(({ id, function: called }) => ({ id, type: 'function', function: called })),
        };
      return answer;
    }
  }
}
