import type { AssistantPart } from '#libs/domain';
import type { NeutralMessage } from '../neutral.js';
import { stringsOf } from './call-arguments.js';
import { isReasoning } from './fit-item.js';
import type { FormatProfile } from './formats.js';
import { readReasoningItem, readThoughtSignature } from './reasoning-forms.js';
import type { LintOptions } from './violation.js';
import { isBlank, isWellFormed } from './well-formed.js';

type Report = (index: number, detail: string) => void;
type Assistant = Extract<NeutralMessage, { role: 'assistant' }>;

/**
 * Reasoning stands where the format wants it, in a form that it takes. With the stored answers at hand: it belongs to the
 * model that is asked, is what was stored (whole or not at all), and is there in every answer of the current exchange.
 */
export function lintReasoning(
  messages: readonly NeutralMessage[],
  profile: FormatProfile,
  options: LintOptions,
  report: Report,
): void {
  const current = messages.findLastIndex((message) => message.role === 'user');
  messages.forEach((message, index) => {
    if (message.role !== 'assistant') return;
    const sent = message.content.filter(isReasoning);
    if (sent.length > 0) lintForm(message, profile, (detail) => report(index, detail));
    const stored = options.answers?.find((answer) => answer.index === index);
    if (stored === undefined || options.model === undefined || profile.reasoning === 'none') return;
    const own = stored.model === options.model.id ? ownReasoning(stored.content, message, profile) : [];
    if (sent.length === 0) {
      if (own.length > 0 && index > current) report(index, 'reasoning of the current exchange is missing');
    } else if (JSON.stringify(sent) !== JSON.stringify(own)) {
      report(
        index,
        stored.model === options.model.id
          ? 'reasoning differs from what was stored'
          : `reasoning of ${stored.model} is sent to ${options.model.id}`,
      );
    }
  });
}

/** What of a stored answer's reasoning can go back beside the calls that are sent. */
function ownReasoning(stored: readonly AssistantPart[], message: Assistant, profile: FormatProfile): AssistantPart[] {
  const calls = message.tool_calls.length;
  const own = stored.filter((part) => isReasoning(part) && isSendable(part, calls, profile));
  const shown = stored.filter(
    (part) => own.includes(part) || (!isReasoning(part) && (part.type !== 'text' || !isBlank(part.text))),
  );
  return profile.reasoning === 'encrypted' && isLoose(shown, calls) ? [] : own;
}

function lintForm(message: Assistant, profile: FormatProfile, report: (detail: string) => void): void {
  const { content, tool_calls: calls } = message;
  if (profile.reasoning === 'none') return report('the format takes no reasoning');
  const firstSaid = content.findIndex((part) => !isReasoning(part));
  if (profile.reasoning === 'signed' && firstSaid !== -1 && content.slice(firstSaid).some(isReasoning))
    report('reasoning behind text');
  if (profile.reasoning === 'encrypted' && isLoose(content, calls.length))
    report('a reasoning item without the item that followed it');
  if (!content.filter(isReasoning).every((part) => isSendable(part, calls.length, profile)))
    report('reasoning that is unsigned, empty, malformed or of another kind');
}

/** The last item of reasoning has nothing behind it (row 113). */
function isLoose(content: readonly AssistantPart[], calls: number): boolean {
  const last = content.at(-1);
  const item = last === undefined ? null : readReasoningItem(last);
  return item !== null && item.calls_before >= calls;
}

function isSendable(part: AssistantPart, calls: number, profile: FormatProfile): boolean {
  switch (profile.reasoning) {
    case 'none':
      return false;
    case 'signed':
      return isSigned(part);
    case 'encrypted': {
      const read = readReasoningItem(part);
      if (read === null || read.calls_before > calls) return false;
      const { encrypted_content: secret } = read.item;
      return typeof secret === 'string' && secret !== '' && stringsOf(read.item).every(isWellFormed);
    }
    case 'thought_signatures': {
      if (part.type === 'thinking') return isSigned(part);
      const read = readThoughtSignature(part);
      if (read === null || (read.call !== null && read.call >= calls)) return false;
      return read.thought_signature !== '' && isWellFormed(read.thought_signature);
    }
  }
}

function isSigned(part: AssistantPart): boolean {
  if (part.type === 'redacted_thinking') return part.data !== '' && isWellFormed(part.data);
  if (part.type !== 'thinking') return false;
  const { text, signature = '' } = part;
  return signature !== '' && !isBlank(text) && isWellFormed(text + signature);
}
