import { canonicalJson, type AssistantPart, type ContentPart, type ToolCall } from '#libs/domain';
import { estimateTokens } from './estimate-tokens.js';
import { isDocumentJson, type Weights } from './part-chars.js';

/** Raw tokens of parts; images and pages by weight. */
export function partsTokens(parts: readonly (ContentPart | AssistantPart)[], weights: Weights): number {
  let sum = 0;
  for (const part of parts) sum += partTokens(part, weights);
  return sum;
}

function partTokens(part: ContentPart | AssistantPart, weights: Weights): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text);
    case 'image':
      return weights.imageTokens;
    case 'document':
      return weights.pageTokens * (part.pages ?? 1);
    case 'other':
      return isDocumentJson(part.raw) ? weights.pageTokens : estimateTokens(canonicalJson(part.raw));
    case 'thinking':
      return estimateTokens(part.text) + estimateTokens(part.signature ?? '');
    case 'redacted_thinking':
      return estimateTokens(part.data);
    case 'opaque':
      return estimateTokens(canonicalJson(part.raw));
  }
}

/** What stands around a call beside its name and arguments. */
const TOKENS_PER_CALL = 4;

export function callsTokens(calls: readonly ToolCall[]): number {
  let sum = 0;
  for (const call of calls) sum += TOKENS_PER_CALL + estimateTokens(call.name) + estimateTokens(call.arguments);
  return sum;
}
