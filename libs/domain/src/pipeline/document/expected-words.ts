import type { z } from 'zod';

/**
 * The error map of the document's schemas: a message says what is expected, nothing else; `issueToFaults` adds what was
 * found. Schemas with words of their own pass them as `error`.
 */
export function expectedWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue.expected);
    case 'too_small':
      return `at least ${boundWords(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `at most ${boundWords(issue.maximum, issue.origin)}`;
    case 'invalid_value':
      return issue.values.length === 1 ? wordOf(issue.values[0]) : `one of ${issue.values.map(wordOf).join(', ')}`;
    case 'invalid_format':
      return `text of the form ${issue.format}`;
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'a valid value';
  }
  return 'a valid value';
}

const TYPE_WORDS: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

function typeWords(type: string): string {
  return TYPE_WORDS.get(type) ?? type;
}

function boundWords(bound: number | bigint, origin: string): string {
  if (origin === 'string') return `${bound} characters`;
  if (origin === 'array') return `${bound} elements`;
  return String(bound);
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
