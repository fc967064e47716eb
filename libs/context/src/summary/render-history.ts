import { canonicalJson, type AssistantPart, type ContentPart } from '#libs/domain';
import { countCodePoints, cutEnd, cutStart, wellFormed, type ConversationEntry } from '../shape/index.js';

/** A result longer than this is shown to a summariser by its head and tail. Chars. */
const MAX_RESULT_CHARS = 6_000;

/**
 * One entry as text for a summariser: `#57 result of search (ok):` and what it says, character for character. Nothing is
 * interpreted; reasoning is left out, since it is bound to its model and speaks to nobody.
 */
export function renderEntry(entry: ConversationEntry): string {
  switch (entry.kind) {
    case 'user':
      return block(
        `#${entry.entry} user${entry.injected ? ' (put in by a program)' : ''}:`,
        contentText(entry.content),
      );
    case 'documents':
      return block(
        `#${entry.entry} documents${entry.name === null ? '' : ` ${entry.name}`}:`,
        shortened(contentText(entry.content)),
      );
    case 'memory':
      return block(`#${entry.entry} memory:`, shortened(canonicalJson(entry.memory)));
    case 'assistant':
      return [
        block(`#${entry.entry} assistant:`, answerText(entry.content)),
        ...entry.calls.map((call) => `called ${call.name} ${shortened(call.arguments)}`),
      ].join('\n');
    case 'result':
      return block(
        `${entry.entry === null ? '' : `#${entry.entry} `}result of ${entry.name} (${entry.status}):`,
        shortened(contentText(entry.content)),
      );
  }
}

export const renderHistory = (entries: readonly ConversationEntry[]): string =>
  wellFormed(entries.map(renderEntry).join('\n\n'));

/** The range in parts of at most `maxChars` rendered chars each, whole turns where they fit, in order; none is empty. */
export function chunkHistory(entries: readonly ConversationEntry[], maxChars: number): ConversationEntry[][] {
  const chunks: ConversationEntry[][] = [];
  let size = 0;
  let turn: ConversationEntry[] = [];
  const flush = (): void => {
    if (turn.length === 0) return;
    const chars = countCodePoints(renderHistory(turn)) + 2;
    const last = chunks.at(-1);
    if (last === undefined || size + chars > maxChars) {
      chunks.push([...turn]);
      size = chars;
    } else {
      last.push(...turn);
      size += chars;
    }
    turn = [];
  };
  for (const entry of entries) {
    if (entry.kind !== 'result') flush();
    turn.push(entry);
  }
  flush();
  return chunks;
}

export const contentText = (parts: readonly ContentPart[]): string => parts.map(partText).join('\n');

/** What an answer says, without its reasoning. */
export const answerText = (parts: readonly AssistantPart[]): string =>
  parts
    .flatMap((part) => (part.type === 'text' || part.type === 'image' || part.type === 'other' ? [partText(part)] : []))
    .join('\n');

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'document':
      return `[${part.type}${part.name === undefined ? '' : `: ${part.name}`}]`;
    case 'other':
      return '[other content]';
  }
}

const block = (heading: string, body: string): string => (body === '' ? heading : `${heading}\n${body}`);

function shortened(text: string): string {
  const chars = text.length <= MAX_RESULT_CHARS ? 0 : countCodePoints(text);
  if (chars <= MAX_RESULT_CHARS) return text;
  const half = MAX_RESULT_CHARS / 2;
  return `${cutStart(text, half)}\n[… ${chars - 2 * half} chars …]\n${cutEnd(text, half)}`;
}
