import type { AssistantPart, ContentPart, JsonObject } from '#libs/domain';
import type { NeutralMessage, NeutralRequest, ToolDeclaration } from '../../neutral.js';
import { parseArguments } from '../call-arguments.js';
import { readThoughtSignature } from '../reasoning-forms.js';
import type { WireBody } from './wire-body.js';

type Answer = Extract<NeutralMessage, { role: 'assistant' }>;
type Result = Extract<NeutralMessage, { role: 'tool' }>;
type Turn = { role: 'user' | 'model'; parts: JsonObject[]; isResults: boolean };

/**
 * Gemini `generateContent` (ai.google.dev/api/generate-content): `messages` is `contents`, `system` the text of
 * `systemInstruction`. All results of an answer are one turn, and what a user says next is a turn of its own.
 */
export function geminiBody(request: NeutralRequest): WireBody {
  const turns: Turn[] = [];
  for (const message of request.messages) {
    const turn = turnOf(message);
    const last = turns.at(-1);
    if (last !== undefined && last.isResults && turn.isResults) last.parts.push(...turn.parts);
    else turns.push(turn);
  }
  return {
    system: request.system,
    messages: turns.map(({ role, parts }) => ({ role, parts })),
    tools: request.tools.length === 0 ? [] : [{ functionDeclarations: request.tools.map(declaration) }],
  };
}

function turnOf(message: NeutralMessage): Turn {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: message.content.map(contentPart), isResults: false };
    case 'tool':
      return { role: 'user', parts: [responsePart(message)], isResults: true };
    case 'assistant':
      return { role: 'model', parts: answerParts(message), isResults: false };
  }
}

/** The reference names no key for errors in a response but `error`. */
function responsePart({ name, status, content }: Result): JsonObject {
  const text = content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))).join('\n\n');
  return { functionResponse: { name, response: status === 'ok' ? { result: text } : { error: { details: text } } } };
}

function answerParts({ content, tool_calls: calls }: Answer): JsonObject[] {
  const signatures = content.map(readThoughtSignature).filter((read) => read !== null);
  const spoken = content.filter((part) => readThoughtSignature(part) === null).map(spokenPart);
  const ofText = signatures.find(({ call }) => call === null);
  const last = spoken.findLastIndex((part) => part['thought'] !== true);
  const parts = spoken.map((part, at) =>
    at === last && ofText !== undefined ? { ...part, thoughtSignature: ofText.thought_signature } : part,
  );
  const called = calls.map(({ name, arguments: given }, at) => {
    const own = signatures.find(({ call }) => call === at);
    return {
      functionCall: { name, args: parseArguments(given) ?? {} },
      ...(own === undefined ? {} : { thoughtSignature: own.thought_signature }),
    };
  });
  return [...parts, ...called];
}

function spokenPart(part: AssistantPart): JsonObject {
  if (part.type === 'text') return { text: part.text };
  if (part.type === 'thinking')
    return {
      text: part.text,
      thought: true,
      ...(part.signature === undefined ? {} : { thoughtSignature: part.signature }),
    };
  return { text: JSON.stringify(part) };
}

function contentPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'image':
    case 'document':
      return { inlineData: { mimeType: part.media_type ?? '', data: part.data ?? '' } };
    case 'other':
      return { text: JSON.stringify(part.raw) };
  }
}

/** `parametersJsonSchema` takes JSON Schema as it is; `parameters` only a part of it. */
const declaration = ({ name, description, parameters }: ToolDeclaration): JsonObject => ({
  name,
  ...(description === '' ? {} : { description }),
  parametersJsonSchema: parameters,
});
