import type { NeutralMessage, NeutralRequest } from '#libs/context';
import { isJsonObject, readJson, type Json } from '#libs/domain';

/** What the extractive model reads of a request: the task, and texts to answer from, the preferred ones first. */
export type ExtractiveReading = { question: string; texts: string[] };

/**
 * The question is the last text of the last user message that is not fenced data. Texts are, in this order: data (documents, results
 * of tools, memory, summary), newest first, then what was said before, newest first. Texts that are JSON give their strings.
 */
export function readRequest(request: NeutralRequest): ExtractiveReading {
  const said: string[] = [];
  const data: string[] = [];
  let question: string | null = null;
  for (const message of request.messages.toReversed()) {
    for (const text of textsOf(message).toReversed()) {
      const fenced = fencedBody(text);
      if (fenced !== null || message.role === 'tool') data.push(...stringsOf(fenced ?? text));
      else if (question === null && message.role === 'user') question = text;
      else said.push(text);
    }
  }
  return { question: question ?? '', texts: [...data, ...said] };
}

function textsOf(message: NeutralMessage): string[] {
  const texts: string[] = [];
  for (const part of message.content) if (part.type === 'text') texts.push(part.text);
  return texts;
}

/** The body of data that the context builder fenced (libs/context view/fence.ts), or null. */
function fencedBody(text: string): string | null {
  const match = /^\[(?:documents: |memory\]|compacted history\])[^\n]*\n(`{3,})\n([\s\S]*)\n\1$/.exec(text);
  return match?.[2] ?? null;
}

function stringsOf(text: string): string[] {
  if (!/^\s*[[{]/.test(text)) return [text];
  try {
    const strings: string[] = [];
    collectStrings(readJson(text), strings);
    return strings.length > 0 ? strings : [text];
  } catch {
    // Not JSON after all: text that begins with a bracket.
    return [text];
  }
}

function collectStrings(value: Json, into: string[]): void {
  if (typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const element of value) collectStrings(element, into);
  else if (isJsonObject(value)) for (const member of Object.values(value)) collectStrings(member, into);
}
