import type { Api } from '#libs/client';
import { excerpt, readable } from '../terminal/excerpt.js';
import { whole } from '../terminal/numbers.js';
import { statusText, type Style } from '../terminal/style.js';
import { facts, table } from '../terminal/table.js';

type Message = Api['CallContext']['messages'][number];
type Omitted = { entries: readonly number[]; state: string; chars: number };
type Context = Omit<Api['CallContext'], 'omitted'> & { omitted: readonly Omitted[] };
type Report = { [name: string]: unknown };

export type ContextView = { readonly why: boolean; readonly diff: boolean; readonly full: boolean };

/** A call's request for people: sizes and hash, the messages with their states, and on request why it is so. */
export function contextText(context: Context, view: ContextView, style: Style): string[] {
  const place = `${context.step_id}${context.item === null ? '' : `[${context.item}]`}`;
  return [
    `${style('bold', `${place} call ${context.call}`)}  ${context.model}  ${statusText(`rebuilt ${context.rebuilt}`, style)}`,
    ...sizes(context),
    '',
    ...(view.full
      ? context.messages.flatMap((message, at) => wholeMessage(message, at, style))
      : messageTable(context.messages, style)),
    ...(view.why ? whyText(context, style) : []),
    ...(view.diff ? diffText(context, style) : []),
  ];
}

function sizes(context: Context): string[] {
  const report: Report = context.report;
  const caps = `${number(report['soft_cap'])} soft, ${number(report['hard_cap'])} hard`;
  return facts([
    ['chars', `${number(report['chars'])} (unmanaged ${number(report['chars_unmanaged'])})`],
    ['tokens', number(report['tokens'])],
    ['caps', caps],
    ['cached', cached(report['cached_tokens'])],
    ['seqs', `up to ${context.upto_seq}${context.cutoff_seq === null ? '' : `, cutoff ${context.cutoff_seq}`}`],
    ['hash', context.context_hash],
  ]);
}

function cached(tokens: unknown): string | null {
  if (typeof tokens !== 'object' || tokens === null) return null;
  const { predicted, reported } = { predicted: null, reported: null, ...tokens };
  return `${number(predicted)} tokens predicted, ${number(reported)} reported`;
}

function messageTable(messages: readonly Message[], style: Style): string[] {
  const rows = messages.map((message, at) => [
    String(at),
    message.role,
    style(message.state === 'whole' ? 'reset' : 'yellow', message.state),
    entries(message.entries),
    whole(message.chars),
    excerpt(messageText(message), 90),
  ]);
  return table(['#', 'ROLE', 'STATE', 'ENTRIES', 'CHARS', ''], rows);
}

function wholeMessage(message: Message, at: number, style: Style): string[] {
  return [
    style('bold', `── ${at} ${message.role} ${message.state} ${entries(message.entries)}`),
    readable(messageText(message)),
    '',
  ];
}

function messageText(message: Message): string {
  const calls = (message.tool_calls ?? []).map((call) => `${call.name}(${call.arguments})`);
  return [contentText(message.content), ...calls].filter((part) => part !== '').join('\n');
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(partText).join('\n');
}

function partText(part: unknown): string {
  if (typeof part !== 'object' || part === null) return '';
  if ('text' in part && typeof part.text === 'string') return part.text;
  return `[${'type' in part ? String(part.type) : 'part'}]`;
}

function whyText(context: Context, style: Style): string[] {
  const stages = rowsOf(context.report['stages']).map((stage) => [
    String(stage['stage']),
    number(stage['removed']),
    number(stage['chars_before']),
    number(stage['chars_after']),
  ]);
  const omitted = context.omitted.map(({ entries: range, state, chars }) => [entries(range), state, whole(chars)]);
  const repairs = rowsOf(context.report['repairs']).map(
    (repair) => `  ${String(repair['rule'])} × ${number(repair['count'])}`,
  );
  return [
    '',
    ...(stages.length === 0 ? [] : table(['STAGE', 'REMOVED', 'BEFORE', 'AFTER'], stages)),
    '',
    ...(omitted.length === 0 ? ['Nothing is left out.'] : table(['NOT SHOWN', 'STATE', 'CHARS'], omitted)),
    ...(repairs.length === 0 ? [] : ['', style('bold', 'repairs'), ...repairs]),
  ];
}

function diffText({ diff, rebuilt }: Context, style: Style): string[] {
  if (diff === null && rebuilt === 'erased') return ['', 'Its events are erased: it cannot be compared.'];
  if (diff === null) return ['', 'There is no call before it in this view to compare it with.'];
  const prefix = `${whole(diff.common_prefix_chars)} chars are the same as in the request before`;
  if (diff.first_difference === null) return ['', `${prefix}; all of it is still there.`];
  const { message, cause } = diff.first_difference;
  return [
    '',
    `${prefix}; it first differs at ${message === null ? 'the tools' : `message ${message}`}: ${style('yellow', cause)}`,
  ];
}

/** Every entry or inclusive ends: the first and the last say it either way. */
function entries(list: readonly number[]): string {
  const [first, last] = [list[0], list.at(-1)];
  if (first === undefined || last === undefined) return '';
  return first === last ? `#${first}` : `#${first}–#${last}`;
}

function rowsOf(value: unknown): Report[] {
  return Array.isArray(value) ? value.filter((row): row is Report => typeof row === 'object' && row !== null) : [];
}

function number(value: unknown): string {
  return typeof value === 'number' ? whole(value) : 'none';
}
