import type { AssistantPart, Content, ContentPart, Json, ToolCall } from '#libs/domain';
import { canonicalJson } from '#libs/domain';
import type { ModelFacts, NeutralMessage, ToolDeclaration } from '../neutral.js';
import { countCodePoints } from '../shape/cut-text.js';

/** Fixed sizes of what is not text (design/context.md "Words"). */
export type Weights = ModelFacts['weights'];
export const STANDARD_WEIGHTS: Weights = { imageChars: 6_000, imageTokens: 1_600, pageChars: 9_000, pageTokens: 2_500 };

/** An `other` part that is a document in its provider's own form weighs as one. */
export const isDocumentJson = (raw: Json): boolean =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) && raw['type'] === 'document';

/** Code points of one part; images and documents by weight. */
export function partChars(part: ContentPart | AssistantPart, weights: Weights): number {
  switch (part.type) {
    case 'text':
      return countCodePoints(part.text);
    case 'image':
      return weights.imageChars;
    case 'document':
      return weights.pageChars * (part.pages ?? 1);
    case 'other':
      return isDocumentJson(part.raw) ? weights.pageChars : countCodePoints(canonicalJson(part.raw));
    case 'thinking':
      return countCodePoints(part.text) + countCodePoints(part.signature ?? '');
    case 'redacted_thinking':
      return countCodePoints(part.data);
    case 'opaque':
      return countCodePoints(canonicalJson(part.raw));
  }
}

export function partsChars(parts: readonly (ContentPart | AssistantPart)[], weights: Weights): number {
  let sum = 0;
  for (const part of parts) sum += partChars(part, weights);
  return sum;
}

export const contentChars = (content: Content, weights: Weights): number =>
  typeof content === 'string' ? countCodePoints(content) : partsChars(content, weights);

/** Name and arguments; ids are not counted. */
export const callChars = (call: ToolCall): number => countCodePoints(call.name) + countCodePoints(call.arguments);

export function callsChars(calls: readonly ToolCall[]): number {
  let sum = 0;
  for (const call of calls) sum += callChars(call);
  return sum;
}

export const weightsKey = (weights: Weights): string =>
  `${weights.imageChars},${weights.imageTokens},${weights.pageChars},${weights.pageTokens}`;

export function messageChars(message: NeutralMessage, weights: Weights): number {
  const content = partsChars(message.content, weights);
  return message.role === 'assistant' ? content + callsChars(message.tool_calls) : content;
}

export function toolsChars(tools: readonly ToolDeclaration[]): number {
  let sum = 0;
  for (const tool of tools)
    sum +=
      countCodePoints(tool.name) + countCodePoints(tool.description) + countCodePoints(canonicalJson(tool.parameters));
  return sum;
}
