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
  return [...faults, ...formatFaults(messages, format)];
}

function formatFaults(messages: readonly Message[], format: ApiFormat): string[] {
  switch (format) {
    case 'openai_chat':
    case 'strict_chat':
      return openaiFaults(messages, format === 'strict_chat');
    case 'anthropic':
    case 'anthropic_thinking':
      return anthropicFaults(messages);
    case 'openai_responses':
      return responsesFaults(messages);
    case 'gemini':
      return geminiFaults(messages as unknown as GeminiTurn[]);
    case 'bedrock':
      return bedrockFaults(messages as unknown as BedrockTurn[]);
  }
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

/** `input` is a flat list: calls and reasoning of an answer are items of their own. */
function responsesFaults(items: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  const seen = new Set<Json>();
  let open: Json[] = [];
  items.forEach((item, index) => {
    const next = items[index + 1];
    const id = item.call_id ?? null;
    if (item.type === 'function_call_output') {
      if (!open.includes(id)) faults.push(`${index}: output without a call before it`);
      open = open.filter((one) => one !== id);
      if (item.output === '' || (Array.isArray(item.output) && item.output.length === 0))
        faults.push(`${index}: output`);
      return;
    }
    if (open.length > 0 && item.role === 'user') faults.push(`${index}: calls ${JSON.stringify(open)} have no output`);
    if (item.type === 'function_call') {
      if (seen.has(id) || !/^[\w-]{1,64}$/.test(text(id))) faults.push(`${index}: id ${text(id)}`);
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(text(item.name))) faults.push(`${index}: name`);
      if (!isObject(JSON.parse(text(item.arguments)) as Json)) faults.push(`${index}: arguments`);
      seen.add(id);
      open.push(id);
    } else if (item.type === 'reasoning') {
      if (text(item.encrypted_content).length < 3) faults.push(`${index}: nothing is stored under ${text(item.id)}`);
      if (next?.type !== 'reasoning' && next?.type !== 'function_call' && next?.role !== 'assistant')
        faults.push(`${index}: reasoning without its required following item`);
    } else if (item.role !== 'user' && item.role !== 'assistant') faults.push(`${index}: ${text(item.type)}`);
    else if (!Array.isArray(item.content) || item.content.length === 0) faults.push(`${index}: empty message`);
  });
  if (open.length > 0) faults.push('calls at the end have no output');
  const last = items.at(-1);
  if (items[0]?.role !== 'user') faults.push('does not begin with a user message');
  return last?.role === 'user' || last?.type === 'function_call_output' ? faults : [...faults, 'ends with an answer'];
}

type GeminiPart = {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: JsonObject;
  functionResponse?: JsonObject;
  inlineData?: JsonObject;
};
type GeminiTurn = { role: string; parts: GeminiPart[] };

function geminiFaults(turns: readonly GeminiTurn[]): string[] {
  const faults: string[] = [];
  turns.forEach(({ role, parts }, index) => {
    const before = turns[index - 1];
    const called = before?.parts.flatMap((part) => part.functionCall?.name ?? []) ?? [];
    const answered = parts.flatMap((part) => part.functionResponse?.name ?? []);
    if (JSON.stringify(called) !== JSON.stringify(answered))
      faults.push(`${index}: responses are not those of the calls before`);
    if (answered.length > 0 && answered.length !== parts.length) faults.push(`${index}: something beside responses`);
    if (parts.length === 0 || parts.some((part) => part.text !== undefined && part.text.trim() === ''))
      faults.push(`${index}: empty`);
    if (role === before?.role && (role === 'model' || before.parts[0]?.functionResponse === undefined))
      faults.push(`${index}: ${role} twice`);
    if (role === 'model' && parts.some((part) => part.functionCall !== undefined) && before?.role !== 'user')
      faults.push(`${index}: calls not behind a user turn`);
    for (const part of parts) {
      if (part.thoughtSignature === '' || (part.thought === true && part.thoughtSignature === undefined))
        faults.push(`${index}: signature`);
      if (part.functionCall !== undefined && !/^[a-zA-Z_][\w.:-]{0,63}$/.test(text(part.functionCall.name)))
        faults.push(`${index}: name`);
      if (
        part.inlineData !== undefined &&
        (part.inlineData.data === '' || !/^(?:image|application)\//.test(text(part.inlineData.mimeType)))
      )
        faults.push(`${index}: inline data`);
    }
  });
  if (turns.at(-1)?.parts.some((part) => part.functionCall !== undefined))
    faults.push('calls at the end have no response');
  return [...faults, ...ends(turns as unknown as Message[])];
}

type BedrockBlock = {
  text?: string;
  toolUse?: JsonObject;
  toolResult?: { toolUseId: string; content: BedrockBlock[] };
  document?: JsonObject;
  image?: JsonObject;
  reasoningContent?: { reasoningText?: JsonObject; redactedContent?: string };
};
type BedrockTurn = { role: string; content: BedrockBlock[] };

function bedrockFaults(turns: readonly BedrockTurn[]): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  const names = new Set<string>();
  let open: string[] = [];
  turns.forEach(({ role, content }, index) => {
    const results = content.flatMap(({ toolResult }) => (toolResult === undefined ? [] : [toolResult]));
    const blocks = [...content, ...results.flatMap((result) => result.content)];
    if (turns[index - 1]?.role === role) faults.push(`${index}: ${role} twice`);
    if (JSON.stringify(results.map(({ toolUseId }) => toolUseId)) !== JSON.stringify(open))
      faults.push(`${index}: results do not answer the calls before`);
    if (results.length > 0 && results.length !== content.length)
      faults.push(`${index}: conversation blocks beside results`);
    if (content.length === 0 || results.some((result) => result.content.length === 0))
      faults.push(`${index}: empty content`);
    if (blocks.some((block) => block.text !== undefined && block.text.trim() === ''))
      faults.push(`${index}: blank text`);
    if (blocks.some((block) => block.document !== undefined) && !blocks.some((block) => block.text !== undefined))
      faults.push(`${index}: a document without text`);
    const firstSaid = content.findIndex((block) => block.reasoningContent === undefined);
    if (firstSaid !== -1 && content.slice(firstSaid).some((block) => block.reasoningContent !== undefined))
      faults.push(`${index}: reasoning behind text`);
    open = [];
    for (const block of blocks) {
      const name = text(block.document?.name);
      if (block.document !== undefined && (names.has(name) || !/^[\w\-()[\] ]{1,200}$/.test(name)))
        faults.push(`${index}: document ${name}`);
      if (block.document !== undefined) names.add(name);
      if (block.reasoningContent?.reasoningText?.signature === '') faults.push(`${index}: unsigned`);
      if (block.toolUse === undefined) continue;
      const id = text(block.toolUse.toolUseId);
      if (seen.has(id) || !/^[a-zA-Z0-9_-]{1,64}$/.test(id) || !/^[a-zA-Z0-9_-]{1,64}$/.test(text(block.toolUse.name)))
        faults.push(`${index}: toolUse ${id}`);
      if (!isObject(block.toolUse.input ?? null)) faults.push(`${index}: input`);
      seen.add(id);
      open.push(id);
    }
  });
  if (open.length > 0) faults.push('calls at the end have no result');
  return [...faults, ...ends(turns)];
}
