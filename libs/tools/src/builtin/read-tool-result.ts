import type { Content, ContentPart, Json } from '#libs/domain';
import { boundedResult } from '../results/result-text.js';
import { toolError } from '../results/tool-error.js';
import type { BuiltinTool } from './builtin-tool.js';

const DEFAULT_LENGTH = 8_000;
const MAX_LENGTH = 50_000;

/** `from` and `length` count code points, as sizes do everywhere. */
export const readToolResult: BuiltinTool = {
  name: 'read_tool_result',
  description:
    'Reads an earlier tool result or document again that is shown as [masked: … #57] or shortened, by its number. Long ones come in slices.',
  parameters: {
    type: 'object',
    required: ['entry'],
    additionalProperties: false,
    properties: {
      entry: {
        anyOf: [
          { type: 'string', pattern: '^#?[0-9]{1,9}$' },
          { type: 'integer', minimum: 1 },
        ],
        description: 'The number of the result, for example "#57".',
      },
      from: { type: 'integer', minimum: 0, description: 'First character of the slice, from 0.' },
      length: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_LENGTH,
        description: `Characters to read, ${DEFAULT_LENGTH} by default.`,
      },
    },
  },
  effect: 'read_only',
  primaryArgument: 'entry',
  async run({ args, readResult }) {
    const entry = entryNumber(args['entry']);
    if (entry === null) return toolError('entry must be the number of a result, for example "#57".');
    const content = await readResult(entry);
    if (content === null) {
      return toolError(
        `there is no tool result #${entry} in this conversation. Use the number that stands in the placeholder.`,
      );
    }
    const from = numberOr(args['from'], 0);
    return slice(
      `#${entry}`,
      [...contentText(content)],
      from,
      Math.min(numberOr(args['length'], DEFAULT_LENGTH), MAX_LENGTH),
    );
  },
};

function slice(label: string, chars: readonly string[], from: number, length: number) {
  const total = chars.length;
  if (from > 0 && from >= total) return toolError(`${label} has ${total} characters, so nothing starts at ${from}.`);
  const end = Math.min(from + length, total);
  const next = end < total ? ` Read on with from: ${end}.` : '';
  return boundedResult(
    `[${label}, characters ${from} to ${end} of ${total}.${next}]\n${chars.slice(from, end).join('')}`,
  );
}

function entryNumber(value: Json | undefined): number | null {
  const entry = typeof value === 'string' ? Number(value.replace(/^#/, '')) : value;
  return typeof entry === 'number' && Number.isSafeInteger(entry) && entry > 0 ? entry : null;
}

function numberOr(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function contentText(content: Content): string {
  return typeof content === 'string' ? content : content.map(partText).join('\n');
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'document':
      return `[${part.type}: ${part.name ?? part.url ?? part.media_type ?? 'without a name'}]`;
    case 'other':
      return JSON.stringify(part.raw);
  }
}
