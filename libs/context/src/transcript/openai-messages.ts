/**
 * Brings what OpenAI's chat form calls differently into the form of a transcript, before it is validated: a bare list of
 * messages, nested `function` calls, `image_url` and `file` parts, the roles `developer` and `function`. What it does not
 * know stays as it is, for the schema to judge.
 */
export function fromOpenai(input: unknown): unknown {
  if (Array.isArray(input)) return { messages: input.map(fromMessage) };
  if (!isRecord(input) || !Array.isArray(input.messages)) return input;
  return { ...input, messages: input.messages.map(fromMessage) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fromMessage(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const changed: Record<string, unknown> = { ...message };
  if (message.role === 'developer') changed.role = 'system';
  if (message.role === 'function')
    Object.assign(changed, { role: 'tool', tool_call_id: message.tool_call_id ?? message.name });
  if (Array.isArray(message.content)) changed.content = message.content.map(fromPart);
  if (Array.isArray(message.tool_calls)) changed.tool_calls = message.tool_calls.map(fromCall);
  return changed;
}

function fromCall(call: unknown): unknown {
  if (!isRecord(call) || !isRecord(call.function)) return call;
  const { name, arguments: given } = call.function;
  return { id: call.id ?? '', name, arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) };
}

function fromPart(part: unknown): unknown {
  if (!isRecord(part)) return part;
  if (part.type === 'image_url') {
    const url = isRecord(part.image_url) ? part.image_url.url : part.image_url;
    return typeof url === 'string' ? { type: 'image', ...fromUrl(url) } : part;
  }
  if (part.type === 'file' && isRecord(part.file) && typeof part.file.file_data === 'string') {
    const { filename } = part.file;
    return {
      type: 'document',
      ...fromUrl(part.file.file_data),
      ...(typeof filename === 'string' ? { name: filename } : {}),
    };
  }
  if (part.type === 'refusal' && typeof part.refusal === 'string') return { type: 'text', text: part.refusal };
  return part;
}

function fromUrl(url: string): { media_type: string; data: string } | { url: string } {
  const inline = /^data:([^;,]*)(?:;[^;,]*)*;base64,(.*)$/su.exec(url);
  return inline === null ? { url } : { media_type: inline[1] ?? '', data: inline[2] ?? '' };
}
