import type { Content } from '#libs/domain';
import type { ToolOutcome } from '#libs/engine';
import type { SecretSettings } from '#libs/platform';
import { secretForms } from './secret-forms.js';

const MIN_SECRET_CHARS = 4;

/** Takes secrets out of what a tool answers: a server may echo what it was sent, also encoded. */
export function redactOutcome(outcome: ToolOutcome, used: readonly SecretSettings[]): ToolOutcome {
  if (used.length === 0) return outcome;
  const redact = redactor(used);
  switch (outcome.status) {
    case 'ok':
      return { ...outcome, content: redactContent(outcome.content, redact) };
    case 'error':
    case 'pending':
    case 'cancelled':
      return { ...outcome, content: redact(outcome.content) };
    // Redacted when it was taken.
    case 'recorded':
      return outcome;
  }
}

function redactContent(content: Content, redact: (text: string) => string): Content {
  if (typeof content === 'string') return redact(content);
  return content.map((part) => (part.type === 'text' ? { ...part, text: redact(part.text) } : part));
}

function redactor(used: readonly SecretSettings[]): (text: string) => string {
  const replacements = used.flatMap(({ name, value }) =>
    value === null || value.length < MIN_SECRET_CHARS ? [] : secretForms(value).map((form) => ({ form, name })),
  );
  // Longer forms first, so that none is broken up by a shorter one inside it.
  replacements.sort((a, b) => b.form.length - a.form.length);
  return (text) =>
    replacements.reduce((redacted, { form, name }) => redacted.replaceAll(form, `[secret ${name}]`), text);
}
