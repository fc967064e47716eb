import { z } from 'zod';
import { jsonObjectSchema, type AssistantPart, type JsonObject } from '#libs/domain';

type Opaque = Extract<AssistantPart, { type: 'opaque' }>;

/** OpenAI Responses: a reasoning item as received, and how many calls of its answer stood in front of it. */
export type ReasoningItem = { item: JsonObject; calls_before: number };
/** Gemini: a signature and the call of its answer that it came on, from 0; null: it came on the text. */
export type ThoughtSignature = { thought_signature: string; call: number | null };

const RESPONSES = 'openai';
const GEMINI = 'google';

const reasoningItem = z.object({ item: jsonObjectSchema, calls_before: z.number().int().nonnegative() });
const thoughtSignature = z.object({ thought_signature: z.string(), call: z.number().int().nonnegative().nullable() });

export const reasoningItemPart = (raw: ReasoningItem): Opaque => ({ type: 'opaque', provider: RESPONSES, raw });
export const thoughtSignaturePart = (raw: ThoughtSignature): Opaque => ({ type: 'opaque', provider: GEMINI, raw });

export function readReasoningItem(part: AssistantPart): ReasoningItem | null {
  if (part.type !== 'opaque' || part.provider !== RESPONSES) return null;
  const parsed = reasoningItem.safeParse(part.raw);
  return parsed.success ? parsed.data : null;
}

export function readThoughtSignature(part: AssistantPart): ThoughtSignature | null {
  if (part.type !== 'opaque' || part.provider !== GEMINI) return null;
  const parsed = thoughtSignature.safeParse(part.raw);
  return parsed.success ? parsed.data : null;
}
