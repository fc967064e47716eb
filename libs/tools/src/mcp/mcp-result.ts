import { z } from 'zod';
import { jsonSchema, type Content, type ContentPart, type Json } from '#libs/domain';
import type { ToolOutcome } from '#libs/engine';
import { boundedResult, resultText } from '../results/result-text.js';
import { toolError } from '../results/tool-error.js';

const resource = z.looseObject({
  uri: z.string().optional(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});
const block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource'), resource }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string().optional() }),
]);
const callResult = z.looseObject({
  content: z.array(block).default([]),
  structuredContent: jsonSchema.optional(),
  isError: z.boolean().optional(),
});

/** What an MCP server answered to a call, as a result: text stays text, images and files become parts. */
export function mcpOutcome(answer: unknown): ToolOutcome {
  const parsed = callResult.safeParse(answer);
  if (!parsed.success) return toolError('the server answered with something that is not the result of a tool.');
  const { content, structuredContent, isError } = parsed.data;
  const parts = content.map(partOf);
  if (isError === true) return toolError(textOf(parts) || 'the tool failed without a word.');
  if (parts.length === 0 && structuredContent !== undefined) return boundedResult(resultText(structuredContent));
  return boundedResult(contentOf(parts));
}

function contentOf(parts: ContentPart[]): Content {
  return parts.every((part) => part.type === 'text') ? textOf(parts) : parts;
}

const textOf = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

function partOf(given: z.infer<typeof block>): ContentPart {
  switch (given.type) {
    case 'text':
      return { type: 'text', text: given.text };
    case 'image':
      return { type: 'image', media_type: given.mimeType, data: given.data };
    case 'audio':
      return { type: 'other', raw: { type: 'audio', media_type: given.mimeType, data: given.data } };
    case 'resource':
      return resourcePart(given.resource);
    case 'resource_link':
      return { type: 'text', text: `[resource ${given.name ?? given.uri}: ${given.uri}]` };
  }
}

function resourcePart({ uri, mimeType, text, blob }: z.infer<typeof resource>): ContentPart {
  if (text !== undefined) return { type: 'text', text };
  const named: { name?: string; media_type?: string } = {
    ...(uri === undefined ? {} : { name: uri }),
    ...(mimeType === undefined ? {} : { media_type: mimeType }),
  };
  if (blob !== undefined) return { type: 'document', ...named, data: blob };
  const raw: Json = { type: 'resource', ...named };
  return { type: 'other', raw };
}
