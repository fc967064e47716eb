import type { Json, JsonObject } from '#libs/domain';
import type { ApiFormat } from '../neutral.js';
import type { WireBody } from '../shape/index.js';

type Message = { role: string; content: Json; tool_calls?: Json; tool_call_id?: Json };

/**
 * What a provider would answer 400 to, read off the body alone: written from the providers' own error texts, without the
 * profiles, the linter or the repair, so that it can disagree with them.
 */
export function wireFaults(body: WireBody, format: ApiFormat): string[] {
  const messages = body.messages as unknown as Message[];
  const faults = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/iu.test(JSON.stringify(body))
    ? ['lone surrogate or NUL']
    : [];
  return [
    ...faults,
    ...(format === 'anthropic' || format === 'anthropic_thinking'
      ? anthropicFaults(messages)
      : openaiFaults(messages, format === 'strict_chat')),
  ];
}

function openaiFaults(messages: readonly Message[], isStrict: boolean): string[] {
  const faults: string[] = [];
  const seen = new Set<Json>();
  let open: Json[] = [];
  messages.forEach((message, index) => {
    const before = messages[index - 1]?.role;
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? null)) faults.push(`${index}: tool message without a call before it`);
      open = open.filter((id) => id !== message.tool_call_id);
      if (typeof message.content !== 'string' || message.content.trim() === '') faults.push(`${index}: tool content`);
      return;
    }
    if (open.length > 0) faults.push(`${index}: calls ${JSON.stringify(open)} have no result`);
    open = [];
    if (message.role === 'assistant') {
      const calls = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
      if (message.content === null || message.content === '' ? calls.length === 0 : text(message.content).trim() === '')
        faults.push(`${index}: empty assistant message`);
      if (calls.length > 128) faults.push(`${index}: tool_calls too long`);
      for (const { id, function: called } of calls) {
        if (seen.has(id) || !(isStrict ? /^[a-zA-Z0-9]{9}$/ : /^.{1,40}$/).test(id)) faults.push(`${index}: id ${id}`);
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(called.name)) faults.push(`${index}: name ${called.name}`);
        if (!isObject(JSON.parse(called.arguments))) faults.push(`${index}: arguments`);
        seen.add(id);
        open.push(id);
      }
    } else if (message.role !== 'user') faults.push(`${index}: role ${message.role}`);
    else if (message.content === '' || (Array.isArray(message.content) && message.content.length === 0))
      faults.push(`${index}: empty user message`);
    if (isStrict && (before === message.role || (before === 'tool' && message.role === 'user')))
      faults.push(`${index}: ${message.role} after ${before}`);
    if (isStrict && typeof message.content !== 'string') faults.push(`${index}: content is no string`);
  });
  if (open.length > 0) faults.push('calls at the end have no result');
  return [...faults, ...ends(messages)];
}

function anthropicFaults(messages: readonly Message[]): string[] {
  const faults: string[] = [];
  const seen = new Set<Json>();
  let open: Json[] = [];
  messages.forEach((message, index) => {
    const blocks = message.content as JsonObject[];
    if (messages[index - 1]?.role === message.role) faults.push(`${index}: ${message.role} twice`);
    if (!Array.isArray(blocks) || blocks.length === 0) faults.push(`${index}: empty content`);
    const results = blocks.filter((block) => block.type === 'tool_result');
    if (JSON.stringify(results.map((block) => block.tool_use_id).toSorted()) !== JSON.stringify(open.toSorted()))
      faults.push(`${index}: results do not answer the calls before`);
    if (blocks.slice(0, results.length).some((block) => block.type !== 'tool_result'))
      faults.push(`${index}: results do not come first`);
    open = [];
    for (const block of [...blocks, ...results.flatMap((result) => result.content as JsonObject[])]) {
      if (block.type === 'text' && text(block.text).trim() === '') faults.push(`${index}: blank text block`);
      if (block.type === 'thinking' && (block.signature === '' || block.thinking === ''))
        faults.push(`${index}: thinking without signature`);
      if (block.type !== 'tool_use') continue;
      if (seen.has(block.id ?? null) || !/^[a-zA-Z0-9_-]+$/.test(text(block.id)))
        faults.push(`${index}: id ${text(block.id)}`);
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(text(block.name)) || !isObject(block.input ?? null))
        faults.push(`${index}: tool_use`);
      seen.add(block.id ?? null);
      open.push(block.id ?? null);
    }
  });
  if (open.length > 0) faults.push('calls at the end have no result');
  return [...faults, ...ends(messages)];
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
const isObject = (value: Json): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

function ends(messages: readonly Message[]): string[] {
  const last = messages.at(-1)?.role;
  return [
    ...(messages[0]?.role === 'user' ? [] : ['does not begin with a user message']),
    ...(last === 'user' || last === 'tool' ? [] : [`ends with ${last}`]),
  ];
}
