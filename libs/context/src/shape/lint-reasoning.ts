import type { AssistantPart } from '#libs/domain';
import type { NeutralMessage } from '../neutral.js';
import { isReasoning } from './fit-item.js';
import type { FormatProfile } from './formats.js';
import type { LintOptions } from './violation.js';
import { isBlank, isWellFormed } from './well-formed.js';

type Report = (index: number, detail: string) => void;

/**
 * Reasoning stands first in its message, signed and well-formed, and only where the format takes it. With the stored
 * answers at hand: it belongs to the model that is asked, is what was stored (whole or not at all), and is there in every
 * answer of the current exchange.
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
    if (sent.length > 0) lintForm(message.content, profile, (detail) => report(index, detail));
    const stored = options.answers?.find((answer) => answer.index === index);
    if (stored === undefined || options.model === undefined || profile.reasoning === 'none') return;
    const own = stored.model === options.model.id ? stored.content.filter(isReasoning).filter(isSendable) : [];
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

function lintForm(content: readonly AssistantPart[], profile: FormatProfile, report: (detail: string) => void): void {
  if (profile.reasoning === 'none') return report('the format takes no reasoning');
  const firstSaid = content.findIndex((part) => !isReasoning(part));
  if (firstSaid !== -1 && content.slice(firstSaid).some(isReasoning)) report('reasoning behind text');
  if (!content.filter(isReasoning).every(isSendable)) report('reasoning that is unsigned, empty or malformed');
}

function isSendable(part: AssistantPart): boolean {
  if (part.type === 'redacted_thinking') return part.data !== '' && isWellFormed(part.data);
  if (part.type !== 'thinking') return false;
  return (
    part.signature !== undefined &&
    part.signature !== '' &&
    !isBlank(part.text) &&
    isWellFormed(part.text + part.signature)
  );
}
